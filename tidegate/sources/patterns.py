"""What entries of several kinds of sources write the same way."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9][-_./a-zA-Z0-9]{0,127}$")]
Url = Annotated[str, Field(pattern=r"^https?://")]
StorageAccount = Annotated[str, Field(pattern=r"^[a-z0-9]{3,24}$")]
