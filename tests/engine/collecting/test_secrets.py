"""No plaintext of a secret leaves the program, and no credential reaches it."""

from __future__ import annotations

import json
import os

MARK = "plaintext-of-a-secret"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def test_encrypted_configuration_stays_secret_and_unknown(collect):
    found = collect(
        """
import pulumi
import pulumi_aws as aws
config = pulumi.Config()
word = config.require_secret("word")
aws.s3.Bucket(
    "it",
    tags={
        "secret": word,
        "joined": pulumi.Output.concat("x-", word),
        "plain": "x-" + config.require("word"),
        "inside": config.require_secret_object("deep").apply(lambda it: it["a"]),
    },
)
""",
        {
            "Pulumi.dev.yaml": (
                "encryptionsalt: v1:x\nconfig:\n  theirs:word: {secure: v1:a:b}\n"
                "  theirs:deep: {a: {secure: v1:c:d}}\n"
            )
        },
    )
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
    assert found["it"]["inputs"]["tags"] == {
        "secret": secret,
        "joined": secret,
        "plain": UNKNOWN,
        "inside": secret,
    }
    assert collect.document["config"] == {"theirs:word": "[secret]", "theirs:deep": "[secret]"}


def test_no_plaintext_of_a_secret_leaves_the_program(collect, capfd):
    collect(
        f"""
import sys
import pulumi
import pulumi_aws as aws
secret = pulumi.Output.secret("{MARK}")
print("{MARK}")
print("{MARK}", file=sys.stderr)
pulumi.log.info("{MARK}")
aws.s3.Bucket("a", tags={{"a": secret, "copy": "{MARK}"}}, bucket=pulumi.Output.concat("x", secret))
aws.s3.Bucket("b", tags=pulumi.Output.secret({{"a": "{MARK}"}}))
pulumi.export("secret", secret)
"""
    )
    assert MARK not in json.dumps(collect.document)
    assert "".join(capfd.readouterr()) == ""


def test_a_program_sees_no_credential_and_what_is_passed_on(collect):
    source = """
import os, pathlib
import pulumi_aws as aws
names = ("AWS_SECRET_ACCESS_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "PULUMI_ACCESS_TOKEN", "GIVEN")
home = pathlib.Path.home()
tags = {name: os.environ.get(name, "") for name in names}
aws.s3.Bucket("a", tags={**tags, "home": str([*home.glob(".*")])})
"""
    environment = {
        **os.environ,
        "AWS_SECRET_ACCESS_KEY": MARK,
        "GOOGLE_APPLICATION_CREDENTIALS": MARK,
        "PULUMI_ACCESS_TOKEN": MARK,
        "GIVEN": "given",
    }
    found = collect(source, environment=environment, variables=("GIVEN",))
    assert found["a"]["inputs"]["tags"] == {
        "AWS_SECRET_ACCESS_KEY": "",
        "GOOGLE_APPLICATION_CREDENTIALS": "",
        "PULUMI_ACCESS_TOKEN": "",
        "GIVEN": "given",
        "home": "[]",
    }
