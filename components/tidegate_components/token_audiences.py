"""For whom a cluster makes tokens of a service account, where a cloud exchanges them."""

from __future__ import annotations

AWS_AUDIENCE = "sts.amazonaws.com"
AZURE_AUDIENCE = "api://AzureADTokenExchange"
