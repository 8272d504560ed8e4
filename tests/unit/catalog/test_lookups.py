"""What the catalog answers, over the data that the project ships."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import Availability, UnknownPrice
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.money import Money, Price
from tidegate.vocabulary.problems import InvalidInput

CATALOG = load_catalog()


@pytest.mark.parametrize(
    ("spelling", "chip"),
    [
        ("h100-80gb", "h100-80gb"),
        ("H100-MEGA", "h100-80gb"),
        ("nvidia-h100-mega-80gb", "h100-80gb"),
        ("NVIDIA A100 80GB", "a100-80gb"),
        ("nvidia-tesla-a100", "a100-40gb"),
        ("nvidia-tesla-v100", "v100-16gb"),
        ("L4", "l4"),
        ("nvidia_l40s", "l40s"),
        ("H200", "h200-141gb"),
        ("Trainium", "trainium1"),
        ("Radeon Pro V520", "v520"),
        ("tpu-v6e", "tpu-v6e"),
    ],
)
def test_one_chip_has_one_name_however_a_cloud_spells_it(spelling: str, chip: str) -> None:
    assert CATALOG.accelerator(spelling).name == chip


@pytest.mark.parametrize(
    ("spelling", "candidates"),
    [
        ("A100", "a100-40gb, a100-80gb"),
        ("h100", "h100-80gb, h100-94gb"),
        ("nvidia-v100", "v100-16gb, v100-32gb"),
    ],
)
def test_refuses_a_name_that_can_mean_two_chips(spelling: str, candidates: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        CATALOG.accelerator(spelling)
    assert str(caught.value) == (
        f"catalog: accelerator = {spelling!r}: can mean more than one chip; "
        f"expected one of {candidates}"
    )


def test_names_the_nearest_chip_of_an_unknown_one() -> None:
    with pytest.raises(InvalidInput, match=r"did you mean 'rtx-pro-6000'\?"):
        CATALOG.accelerator("rtx-pro-600")


def test_no_alias_means_two_chips_or_hides_a_chip() -> None:
    spellings = [alias for chip in CATALOG.accelerators.values() for alias in chip.aliases]
    assert len(spellings) == len(set(spellings))
    assert not set(spellings) & set(CATALOG.accelerators)


def test_every_type_names_a_chip_of_the_catalog() -> None:
    named = {found.accelerator for found in CATALOG.types.values() if found.accelerator}
    assert named <= set(CATALOG.accelerators)


def test_listed_price_carries_date_and_origin() -> None:
    price = CATALOG.price("aws", "us-east-1", "p5.48xlarge", "on-demand")
    assert price == Price(
        Money(Decimal("55.04")),
        date(2026, 7, 20),
        "AWS price list through aws/karpenter-provider-aws at 1d927085dd81, us-east-1",
    )


@pytest.mark.parametrize(
    ("cloud", "region", "name"),
    [("aws", "us-east-1", "p5.48xlarge"), ("azure", "eastus", "Standard_ND96isr_H100_v5")],
)
def test_spot_price_without_a_source_is_the_stated_ratio_and_assumed(
    cloud: str, region: str, name: str
) -> None:
    spot = CATALOG.price(cloud, region, name, "spot")
    on_demand = CATALOG.price(cloud, region, name, "on-demand")
    assert isinstance(spot, Price)
    assert isinstance(on_demand, Price)
    ratio = CATALOG.spot_assumption.ratio
    assert spot.per_hour == Money(on_demand.per_hour.amount * ratio)
    assert (spot.assumed, on_demand.assumed) == (True, False)
    assert spot.origin.startswith(f"{ratio} of the on-demand price (")


def test_google_spot_price_is_a_quote_not_an_assumption() -> None:
    price = CATALOG.price("gcp", "us-central1", "a3-highgpu-8g", "spot")
    assert isinstance(price, Price)
    assert (price.per_hour, price.assumed) == (Money(Decimal("50.609541")), False)


@pytest.mark.parametrize(
    ("region", "name", "capacity", "reason"),
    [
        ("eu-west-1", "p5.48xlarge", "on-demand", "known for eu-west-1 (known for us-east-1)"),
        ("eu-west-1", "p5.48xlarge", "spot", "known for eu-west-1 (known for us-east-1)"),
        ("us-east-1", "trn2.48xlarge", "on-demand", "trn2.48xlarge is known in any region"),
        ("us-east-1", "p5.48xlarge", "reserved", "what its commitment states"),
    ],
)
def test_unknown_price_says_why_and_is_never_zero(
    region: str, name: str, capacity: str, reason: str
) -> None:
    price = CATALOG.price("aws", region, name, capacity)
    assert isinstance(price, UnknownPrice)
    assert reason in price.reason


def test_attached_accelerators_add_to_the_machine_and_are_assumed() -> None:
    machine = CATALOG.price("gcp", "us-central1", "n1-standard-8", "spot")
    whole = CATALOG.price("gcp", "us-central1", "n1-standard-8", "spot", "t4", 2)
    assert isinstance(machine, Price)
    assert isinstance(whole, Price)
    assert whole.per_hour == machine.per_hour + Money(Decimal("0.22"))
    assert (machine.assumed, whole.assumed) == (False, True)


@pytest.mark.parametrize(
    ("name", "chip", "count", "message"),
    [
        ("n1-standard-8", "t4", 3, "one of 1, 2, 4"),
        ("n1-standard-8", "l4", 1, "cannot be attached to n1-standard-8"),
        ("a3-highgpu-8g", "t4", 1, "a3-highgpu-8g has h100-80gb built in"),
        ("n2-standard-8", "t4", 1, "cannot be attached to n2-standard-8"),
    ],
)
def test_refuses_an_accelerator_that_does_not_fit_the_machine(
    name: str, chip: str, count: int, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        CATALOG.price("gcp", "us-central1", name, "on-demand", chip, count)


@pytest.mark.parametrize(
    ("region", "name", "expected"),
    [
        ("us-east-1", "p5.48xlarge", Availability.SOLD),
        ("eu-west-3", "p5.48xlarge", Availability.NOT_SOLD),
        ("us-east-1", "p3.2xlarge", Availability.UNKNOWN),  # priced, yet in no offering list
        ("eu-west-3", "p3.2xlarge", Availability.UNKNOWN),  # in no offering list at all
        ("mx-central-1", "p5.48xlarge", Availability.UNKNOWN),  # a region nobody covers
    ],
)
def test_not_sold_is_said_only_where_the_list_is_complete(
    region: str, name: str, expected: Availability
) -> None:
    assert CATALOG.availability("aws", region, name) is expected


@pytest.mark.parametrize("cloud", [Cloud.GCP, Cloud.AZURE])
def test_price_lists_never_say_not_sold(cloud: Cloud) -> None:
    said = {
        CATALOG.availability(cloud, region, found.name)
        for found in CATALOG.instance_types(cloud)
        if found.retired is None
        for region in (*CATALOG.regions(cloud), "nowhere1")
    }
    assert said == {Availability.SOLD, Availability.UNKNOWN}


def test_a_type_that_its_cloud_retired_is_not_sold_although_price_lists_name_it() -> None:
    retired = sorted(found.name for found in CATALOG.types.values() if found.retired)
    assert retired == [
        "Standard_NC128ds_xl_RTXPRO6000BSE_v6",
        "Standard_NC128lds_xl_RTXPRO6000BSE_v6",
        "Standard_NC12s_v3",
        "Standard_NC24s_v3",
        "Standard_NC256ds_xl_RTXPRO6000BSE_v6",
        "Standard_NC256lds_xl_RTXPRO6000BSE_v6",
        "Standard_NC320ds_xl_RTXPRO6000BSE_v6",
        "Standard_NC320lds_xl_RTXPRO6000BSE_v6",
        "Standard_NC6s_v3",
        "Standard_NV12s_v3",
        "Standard_NV16as_v4",
        "Standard_NV24s_v3",
        "Standard_NV32as_v4",
        "Standard_NV48s_v3",
        "Standard_NV4as_v4",
        "Standard_NV8as_v4",
    ]
    assert isinstance(CATALOG.price("azure", "eastus", "Standard_NC6s_v3", "on-demand"), Price)
    evidence = CATALOG.availability_evidence("azure", "eastus", "Standard_NC6s_v3")
    assert (evidence.availability, evidence.evidence) == (
        Availability.NOT_SOLD,
        "retired on 2025-09-30 (MicrosoftDocs/azure-docs, NCv3 retirement, 2024-03-19)",
    )


def test_sold_types_name_their_zones() -> None:
    evidence = CATALOG.availability_evidence("aws", "us-west-2", "p4de.24xlarge")
    assert evidence.zones == ("us-west-2a", "us-west-2b", "us-west-2c")
    assert "in 3 zones of us-west-2" in evidence.evidence


def test_slices_have_no_count_of_whole_accelerators() -> None:
    sliced = {found.name: found for found in CATALOG.types.values() if found.sliced}
    assert all(found.accelerators_per_node is None for found in sliced.values())
    shares = {name: found.share for name, found in sliced.items() if found.share}
    assert shares == {
        "g4-standard-12": "1/4",
        "g4-standard-24": "1/2",
        "g4-standard-6": "1/8",
        "g6f.2xlarge": "1/4",
        "g6f.4xlarge": "1/2",
        "g6f.large": "1/8",
        "g6f.xlarge": "1/8",
        "gr6f.4xlarge": "1/2",
        "Standard_NG16ads_V620_v1": "1/2",
        "Standard_NG8ads_V620_v1": "1/4",
        "Standard_NV12ads_A10_v5": "1/3",
        "Standard_NV12ads_V710_v5": "1/2",
        "Standard_NV16as_v4": "1/2",
        "Standard_NV18ads_A10_v5": "1/2",
        "Standard_NV4ads_V710_v5": "1/6",
        "Standard_NV4as_v4": "1/8",
        "Standard_NV6ads_A10_v5": "1/6",
        "Standard_NV8ads_V710_v5": "1/3",
        "Standard_NV8as_v4": "1/4",
    }


def test_a_count_of_accelerators_excludes_slices_and_unknown_counts() -> None:
    found = CATALOG.instance_types("azure", "a10", accelerators_per_node=1)
    assert [each.name for each in found] == ["Standard_NV36adms_A10_v5", "Standard_NV36ads_A10_v5"]


def test_types_of_one_chip_come_from_every_cloud() -> None:
    found = CATALOG.instance_types(accelerator="h100-80gb", accelerators_per_node=8)
    assert [each.name for each in found] == [
        "p5.48xlarge",
        "Standard_ND96isr_H100_v5",
        "a3-highgpu-8g",
        "a3-megagpu-8g",
    ]


def test_attachable_machines_match_by_the_counts_they_allow() -> None:
    assert [found.name for found in CATALOG.instance_types("gcp", "v100-16gb", 8)] == [
        "n1-standard-4",
        "n1-standard-8",
    ]
    assert CATALOG.instance_types("gcp", "t4", 8) == ()


def test_a_machine_keeps_its_own_name_for_its_accelerator() -> None:
    mega = CATALOG.instance_type("gcp", "a3-megagpu-8g")
    assert (mega.accelerator, mega.provider_accelerator) == ("h100-80gb", "nvidia-h100-mega-80gb")


def test_unknown_instance_type_names_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"such as 'p5\.48xlarge'"):
        CATALOG.instance_type("aws", "p5.48xlrge")


def test_a_rejected_type_says_why_it_was_left_out() -> None:
    with pytest.raises(InvalidInput, match="names no accelerator for a size of the GPU family ND"):
        CATALOG.instance_type("azure", "Standard_ND40s_v2")


@pytest.mark.parametrize(
    ("cloud", "days", "allowed", "at_least"),
    [
        ("aws", 45, False, 60),
        ("aws", 30, True, 30),
        ("aws", 4000, False, None),
        ("gcp", 45, True, 45),
        ("gcp", 3651, False, None),
        ("azure", 7, False, 30),
        ("azure", 730, True, 730),
        ("azure", 731, False, None),
    ],
)
def test_retention_is_what_the_cloud_takes(
    cloud: str, days: int, allowed: bool, at_least: int | None
) -> None:
    steps = CATALOG.retention_steps(cloud)
    assert (steps.allows(days), steps.nearest_at_least(days)) == (allowed, at_least)


def test_storage_minimums_are_the_clouds_own() -> None:
    minimums = {
        (cloud.value, tier.name): (tier.minimum_days, tier.earliest_transition_days)
        for cloud in Cloud
        for tier in CATALOG.storage_tiers(cloud)
    }
    assert minimums == {
        ("aws", "STANDARD"): (0, 0),
        ("aws", "INTELLIGENT_TIERING"): (0, 0),
        ("aws", "STANDARD_IA"): (30, 30),
        ("aws", "ONEZONE_IA"): (30, 30),
        ("aws", "GLACIER_IR"): (90, 0),
        ("aws", "GLACIER"): (90, 0),
        ("aws", "DEEP_ARCHIVE"): (180, 0),
        ("gcp", "STANDARD"): (0, 0),
        ("gcp", "NEARLINE"): (30, 0),
        ("gcp", "COLDLINE"): (90, 0),
        ("gcp", "ARCHIVE"): (365, 0),
        ("azure", "Hot"): (0, 0),
        ("azure", "Cool"): (30, 0),
        ("azure", "Cold"): (90, 0),
        ("azure", "Archive"): (180, 0),
    }


def test_a_storage_class_without_a_price_is_unknown() -> None:
    prices = {tier.name: tier.per_gb_month for tier in CATALOG.storage_tiers("aws")}
    assert prices["STANDARD_IA"] == Money(Decimal("0.0125"))
    reason = "no price of INTELLIGENT_TIERING is known"
    assert prices["INTELLIGENT_TIERING"] == UnknownPrice(reason)


def test_a_storage_price_that_no_price_list_states_is_assumed_with_its_origin() -> None:
    tiers = {tier.name: tier for tier in CATALOG.storage_tiers("gcp")}
    assert (tiers["NEARLINE"].assumed, tiers["COLDLINE"].assumed) == (False, True)
    assert tiers["COLDLINE"].per_gb_month == Money(Decimal("0.004"))
    assert "cloud.google.com/storage/pricing" in tiers["COLDLINE"].origin


def test_what_is_billed_beside_an_objects_bytes_is_the_clouds_own() -> None:
    billed = {
        tier.name: (charges.minimum_object_bytes, charges.overhead_bytes)
        for cloud in Cloud
        for tier in CATALOG.storage_tiers(cloud)
        if (charges := tier.charges).minimum_object_bytes or charges.overhead_bytes
    }
    assert billed == {
        "STANDARD_IA": (131072, 0),
        "ONEZONE_IA": (131072, 0),
        "GLACIER_IR": (131072, 0),
        "GLACIER": (0, 32768),
        "DEEP_ARCHIVE": (0, 32768),
    }


def test_telemetry_is_priced_only_where_a_source_states_it() -> None:
    assert CATALOG.telemetry_price("aws", "eu-west-1") == UnknownPrice(
        "no price of STANDARD logs is known for eu-west-1"
    )
    everywhere = CATALOG.telemetry_price("gcp", "europe-west4")
    assert not isinstance(everywhere, UnknownPrice)
    assert everywhere.ingest_per_gib == Money(Decimal("0.50"))


def test_digest_is_the_same_for_the_same_data() -> None:
    assert load_catalog().digest == CATALOG.digest
    assert CATALOG.digest.startswith("sha256:")


def test_a_price_against_a_complete_list_leaves_the_answer_unknown(tmp_path: Path) -> None:
    overlay = tmp_path / "fresh.yaml"
    overlay.write_text(
        "version: tidegate/prices/v1\nprices:\n- {cloud: aws, region: eu-west-3, perHour: 60,\n"
        "   instanceType: p5.48xlarge, capacityType: on-demand, asOf: 2026-11-30, origin: x,\n"
        "   negotiated: false}\n"
    )
    evidence = load_catalog(overlay).availability_evidence("aws", "eu-west-3", "p5.48xlarge")
    assert evidence.availability is Availability.UNKNOWN
    assert evidence.evidence.endswith(
        "does not name it in eu-west-3, while a price is listed there"
    )
