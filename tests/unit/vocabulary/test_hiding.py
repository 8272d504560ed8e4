from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.vocabulary.hiding import find_secrets, hide_all, hide_secrets

MARK = "s3cr3t-Value"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {MARK}",
        f"authorization=bearer {MARK}",
        f"Authorization: Basic {MARK}",
        f"http://user:{MARK}@prometheus:9090 does not answer",
        f"https://:{MARK}@host/",
        f"redis://{'user'}:{MARK}@host",
        f"GET /x?token={MARK}&y=1",
        f"password={MARK}",
        f"password='{MARK}'",
        f"passphrase: {MARK}",
        f"PGPASSWORD={MARK} psql",
        f"Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey={MARK}",
        f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={MARK};EndpointSuffix=x",
        f"https://a.queue.core.windows.net/q?sv=2024&sig={MARK}",
        f"https://sqs/?X-Amz-Security-Token={MARK}&X-Amz-Signature={MARK}",
        f'{{"client_secret": "{MARK}", "grant_type": "x"}}',
        f"{{'private_key': '{MARK}'}}",
        f"AWS_SECRET_ACCESS_KEY={MARK}",
        f"-----BEGIN RSA PRIVATE KEY-----\n{MARK}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\\n{MARK}",
        f"token eyJhbGciOiJSUzI1NiJ9.{MARK}.sig is expired",
        f"ghp_{MARK.replace('-', '')}0123456789",
        f"pul-{MARK}0123456789",
        f"ya29.{MARK}0123456789",
    ],
)
def test_what_looks_like_a_secret_is_hidden(text):
    hidden = hide_secrets(text)

    assert MARK not in hidden
    assert MARK.replace("-", "") not in hidden
    assert "***" in hidden


def test_ids_of_access_keys_are_hidden():
    assert hide_secrets("key AKIAIOSFODNN7EXAMPLE is not valid") == "key *** is not valid"


@pytest.mark.parametrize(
    "text",
    [
        "eks: token 7 leads no more; see https://example.com/a:b",
        "sources.yaml: sources.0.tokenEnvironment = 'PROM_TOKEN': is not set",
        "denied: credentials expired",
        "controller: token: is short enough to be guessed; password: hidden",
        "quota aws/us-east-1/p5/on-demand has 2 of 2 in use",
        "demand from queue is in doubt (no answer): nothing shrinks",
        "https://sqs.us-east-1.amazonaws.com/123456789012/sweep-jobs",
        "arn:aws:eks:us-east-1:123456789012:cluster/ml",
        "the basic pricing tier; bearer tokens; authorization failed",
        "train: 3 of at most 4 nodes at 2026-11-30T12:00:00+00:00",
    ],
)
def test_plain_words_stay(text):
    assert hide_secrets(text) == text


def test_known_values_are_hidden_wherever_they_stand():
    known = find_secrets({"PROM_TOKEN": "open sesame/1", "HOME": "/home/ana"}, ["HOME"])

    text = "got open sesame/1, then open%20sesame%2F1 in /home/ana"
    assert hide_secrets(text, known) == "got ***, then *** in ***"


def test_a_longer_value_is_hidden_whole():
    assert hide_secrets("abcdefgh-more", {"abcdefgh", "abcdefgh-more"}) == "***"


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("AWS_SECRET_ACCESS_KEY", True),
        ("AWS_SESSION_TOKEN", True),
        ("AZURE_CLIENT_SECRET", True),
        ("AZURE_STORAGE_CONNECTION_STRING", True),
        ("PULUMI_CONFIG_PASSPHRASE", True),
        ("PULUMI_ACCESS_TOKEN", True),
        ("PGPASSWORD", True),
        ("OTEL_EXPORTER_OTLP_HEADERS", True),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", False),
        ("GOOGLE_APPLICATION_CREDENTIALS", False),
        ("PATH", False),
        ("TIDEGATE_LEADER", False),
    ],
)
def test_variables_of_secrets_are_known_by_their_names(name, held):
    assert find_secrets({name: MARK}) == (frozenset({MARK}) if held else frozenset())


@pytest.mark.parametrize("value", ["train", "Tr4in-1", "tidegate", "tidegate-local"])
def test_short_values_and_plain_words_are_not_taken_for_secrets(value):
    assert find_secrets({"MY_TOKEN": value}) == frozenset()


def test_documents_are_cleaned_in_all_their_texts():
    found = hide_all({"a": [f"password={MARK}", {"b": (f"x {MARK}",)}], "n": 1, "z": None}, {MARK})

    assert found == {"a": ["password=***", {"b": ["x ***"]}], "n": 1, "z": None}


@given(st.text())
def test_hiding_twice_is_hiding_once(text):
    assert hide_secrets(hide_secrets(text)) == hide_secrets(text)


@given(st.text(alphabet="ab:/@=-_ 'password", max_size=200))
def test_what_follows_a_password_never_stays(text):
    assert MARK not in hide_secrets(f"{text} password={MARK} {text}")
