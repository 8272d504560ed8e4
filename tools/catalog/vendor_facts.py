"""Facts that the price sources leave blank, each from a vendor's own page.

Only what a vendor states stands here: a count or a size that no page states stays unknown.
"""
# ruff: noqa: INP001 - imported by build_catalog.py beside it, both run by path

from __future__ import annotations

from importlib.metadata import version

AWS_P2 = "AWS briefing on P2 and F1, March 2017 (speakerdeck.com/porcaro33): 1, 8 and 16 GPUs"
AWS_API = f"AWS EC2 DescribeInstanceTypes as recorded in moto {version('moto')}, read 2026-11-30"
AWS_OFFERINGS = f"AWS's offerings by zone (DescribeInstanceTypeOfferings, moto {version('moto')})"
LEARN = "MicrosoftDocs/azure-compute-docs, virtual machine sizes, "
LEARN_RTX = LEARN + "NC_RTXPRO6000BSE_v6 at 02773904e1bc, 2025-12-05"
LEARN_V620 = LEARN + "NGads_V620 at 2bc777fdc35c, 2024-07-31"
LEARN_V710 = LEARN + "NVads_V710_v5 at 0f864c9fb268, 2024-09-16"
LEARN_A10 = LEARN + "NVadsA10_v5 at 2bc777fdc35c, 2024-07-31"
LEARN_MI25 = LEARN + "NVv4 at 53b9767cc237, 2024-07-31"
LEARN_GB200 = LEARN + "ND_GB200_v6 at 2bc777fdc35c, 2025-03-20"
AKS_SIZES = "microsoft/aspire AksNodeVmSizes at 69db530a4816 (Azure's size list, 13.5.1 preview)"
GOOGLE = "Google Cloud documentation, machine families"
GOOGLE_TPU = "Google Cloud documentation, TPU machine types in GKE"

# name → (vCPUs, memory GiB, whole accelerators, source); None is "not stated".
COUNTS: dict[str, tuple[str | None, str | None, str, str]] = {
    "p2.xlarge": ("4", "61", "1", AWS_P2),
    "p2.8xlarge": ("32", "488", "8", AWS_P2),
    "p2.16xlarge": ("64", "732", "16", AWS_P2),
    "p6-b300.48xlarge": ("192", "4096", "8", AWS_API),
    "Standard_NC128ds_xl_RTXPRO6000BSE_v6": ("128", "512", "1", LEARN_RTX),
    "Standard_NC256ds_xl_RTXPRO6000BSE_v6": ("256", "1024", "2", LEARN_RTX),
    "Standard_NC320ds_xl_RTXPRO6000BSE_v6": ("320", "1280", "2", LEARN_RTX),
    "Standard_NC128lds_xl_RTXPRO6000BSE_v6": ("128", "256", "1", LEARN_RTX),
    "Standard_NC256lds_xl_RTXPRO6000BSE_v6": ("256", "512", "2", LEARN_RTX),
    "Standard_NC320lds_xl_RTXPRO6000BSE_v6": ("320", "640", "2", LEARN_RTX),
    "Standard_NC144ds_xl_RTXPRO6000BSE_v6": ("144", "516", "1", AKS_SIZES),
    "Standard_NC144lds_xl_RTXPRO6000BSE_v6": ("144", "264", "1", AKS_SIZES),
    "Standard_NC288ds_xl_RTXPRO6000BSE_v6": ("288", "1032", "2", AKS_SIZES),
    "Standard_NC288lds_xl_RTXPRO6000BSE_v6": ("288", "516", "2", AKS_SIZES),
    "Standard_ND128isr_NDR_GB200_v6": ("128", "900", "4", LEARN_GB200),
    "Standard_NG32ads_V620_v1": ("32", "64", "1", LEARN_V620),
    "Standard_NV24ads_V710_v5": ("24", "128", "1", LEARN_V710),
    "Standard_NV28adms_V710_v5": ("28", "160", "1", LEARN_V710),
}

# name → (share of one accelerator or "" where no page states it, source)
SLICES: dict[str, tuple[str, str]] = {
    "g6f.large": ("1/8", AWS_API),
    "g6f.xlarge": ("1/8", AWS_API),
    "g6f.2xlarge": ("1/4", AWS_API),
    "g6f.4xlarge": ("1/2", AWS_API),
    "gr6f.4xlarge": ("1/2", AWS_API),
    "g4-standard-6": ("1/8", GOOGLE),
    "g4-standard-12": ("1/4", GOOGLE),
    "g4-standard-24": ("1/2", GOOGLE),
    "Standard_NV6ads_A10_v5": ("1/6", LEARN_A10),
    "Standard_NV12ads_A10_v5": ("1/3", LEARN_A10),
    "Standard_NV18ads_A10_v5": ("1/2", LEARN_A10),
    "Standard_NV4as_v4": ("1/8", LEARN_MI25),
    "Standard_NV8as_v4": ("1/4", LEARN_MI25),
    "Standard_NV16as_v4": ("1/2", LEARN_MI25),
    "Standard_NG8ads_V620_v1": ("1/4", LEARN_V620),
    "Standard_NG16ads_V620_v1": ("1/2", LEARN_V620),
    "Standard_NV4ads_V710_v5": ("1/6", LEARN_V710),
    "Standard_NV8ads_V710_v5": ("1/3", LEARN_V710),
    "Standard_NV12ads_V710_v5": ("1/2", LEARN_V710),
}
# The NCv6 overview speaks of partial GPUs; whole ones begin at 128 vCPUs, shares are not stated.
for _size in ("8lds", "16lds", "24lds", "32ds", "32lds", "36ds", "36lds", "64ds", "64lds", "72ds"):
    SLICES[f"Standard_NC{_size}_xl_RTXPRO6000BSE_v6"] = ("", LEARN_RTX)
SLICES["Standard_NC72lds_xl_RTXPRO6000BSE_v6"] = ("", LEARN_RTX)

# Rows that say one GPU without a page that tells whether it is a whole one: the count is unknown.
UNCONFIRMED = {
    "Standard_NC8ads_A10_v4": "the size is in preview and no page says how much of an A10 it has",
    "Standard_NC16ads_A10_v4": "the size is in preview and no page says how much of an A10 it has",
    "Standard_NC32ads_A10_v4": "the size is in preview and no page says how much of an A10 it has",
}

# Rows left out of the catalog, with the reason; they are listed in data/rejected.csv.
REJECTED = {
    "Standard_ND40s_v2": "the source names no accelerator for a size of the GPU family ND",
}

# Azure's H100 NVL sizes: the source says H100, the vendor 94 GB (NCads_H100_v5, 2024-07-31).
H100_NVL = ("Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5", "Standard_NCC40ads_H100_v5")

# Machine → (vCPUs, memory GiB): the price source leaves Google's sizes blank.
GOOGLE_SIZES: dict[str, tuple[str, str]] = {
    "a2-highgpu-1g": ("12", "85"),
    "a2-highgpu-2g": ("24", "170"),
    "a2-highgpu-4g": ("48", "340"),
    "a2-highgpu-8g": ("96", "680"),
    "a2-megagpu-16g": ("96", "1360"),
    "a2-ultragpu-1g": ("12", "170"),
    "a2-ultragpu-2g": ("24", "340"),
    "a2-ultragpu-4g": ("48", "680"),
    "a2-ultragpu-8g": ("96", "1360"),
    "a3-highgpu-1g": ("26", "234"),
    "a3-highgpu-2g": ("52", "468"),
    "a3-highgpu-4g": ("104", "936"),
    "a3-highgpu-8g": ("208", "1872"),
    "a3-megagpu-8g": ("208", "1872"),
    "c2-standard-8": ("8", "32"),
    "c3-standard-8": ("8", "32"),
    "c3-standard-22": ("22", "88"),
    "c4-standard-8": ("8", "30"),
    "e2-highmem-4": ("4", "32"),
    "e2-standard-2": ("2", "8"),
    "e2-standard-4": ("4", "16"),
    "e2-standard-8": ("8", "32"),
    "g2-standard-4": ("4", "16"),
    "g2-standard-8": ("8", "32"),
    "g2-standard-12": ("12", "48"),
    "g2-standard-16": ("16", "64"),
    "g2-standard-24": ("24", "96"),
    "g2-standard-32": ("32", "128"),
    "g2-standard-48": ("48", "192"),
    "g2-standard-96": ("96", "384"),
    "g4-standard-6": ("6", "22"),
    "g4-standard-12": ("12", "45"),
    "g4-standard-24": ("24", "90"),
    "g4-standard-48": ("48", "180"),
    "g4-standard-96": ("96", "360"),
    "g4-standard-192": ("192", "720"),
    "g4-standard-384": ("384", "1440"),
    "n1-standard-4": ("4", "15"),
    "n1-standard-8": ("8", "30"),
    "n2-standard-4": ("4", "16"),
    "n2-standard-8": ("8", "32"),
    "n2-standard-16": ("16", "64"),
    "n2d-standard-8": ("8", "32"),
    "n4-standard-4": ("4", "16"),
    "t2d-standard-4": ("4", "16"),
}

# TPU machine → (chip, chips a machine). Sizes of the hosts are left unknown.
TPU_MACHINES: dict[str, tuple[str, int]] = {
    "ct5lp-hightpu-1t": ("tpu-v5e", 1),
    "ct5lp-hightpu-4t": ("tpu-v5e", 4),
    "ct5lp-hightpu-8t": ("tpu-v5e", 8),
    "ct5p-hightpu-1t": ("tpu-v5p", 1),
    "ct5p-hightpu-2t": ("tpu-v5p", 2),
    "ct5p-hightpu-4t": ("tpu-v5p", 4),
    "ct6e-standard-1t": ("tpu-v6e", 1),
    "ct6e-standard-4t": ("tpu-v6e", 4),
    "ct6e-standard-8t": ("tpu-v6e", 8),
}

# Sizes that their cloud has retired → (day, source). Only days that have passed stand here: price
# lists go on naming such sizes.
NCV3_END = ("2025-09-30", "MicrosoftDocs/azure-docs, NCv3 retirement, 2024-03-19")
NVV3_END = ("2026-09-30", "MicrosoftDocs/azure-compute-docs, NVv3 retirement at 1aca86380aa9")
NVV4_END = ("2026-09-30", "MicrosoftDocs/azure-compute-docs, NVv4 retirement at 1a043fb3a20b")
RETIRED: dict[str, tuple[str, str]] = {
    "Standard_NC6s_v3": NCV3_END,
    "Standard_NC12s_v3": NCV3_END,
    "Standard_NC24s_v3": NCV3_END,
    "Standard_NV12s_v3": NVV3_END,
    "Standard_NV24s_v3": NVV3_END,
    "Standard_NV48s_v3": NVV3_END,
    "Standard_NV4as_v4": NVV4_END,
    "Standard_NV8as_v4": NVV4_END,
    "Standard_NV16as_v4": NVV4_END,
    "Standard_NV32as_v4": NVV4_END,
}
# NCv6's preview sizes: new machines of them no longer work, says its overview of that day.
NCV6_PREVIEW_END = ("2026-06-03", "MicrosoftDocs/azure-compute-docs, NCv6 overview, preview sizes")
for _size in ("128ds", "128lds", "256ds", "256lds", "320ds", "320lds"):
    RETIRED[f"Standard_NC{_size}_xl_RTXPRO6000BSE_v6"] = NCV6_PREVIEW_END

# What a machine family's own guest accelerator is called, where it differs from the chip's.
GKE_VARIANTS = {"a3-megagpu-8g": "nvidia-h100-mega-80gb"}
