"""Which chip a name means: canonical names, stated aliases, and nothing ambiguous."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.problems import nearest, refuse

WHERE = "catalog"


def fold_name(name: str) -> str:
    """Return a name in the catalog's spelling: lower case, one hyphen between words."""
    return re.sub(r"[\s_/]+", "-", name.strip().lower())


def resolve_accelerator(name: str, accelerators: Mapping[str, Accelerator]) -> Accelerator:
    """Return the one chip that a name means.

    A name without a memory size ("a100") means a chip only when just one such chip exists.

    Raises:
        InvalidInput: When no chip has that name, with the nearest one; or when several do, with
            all of them.
    """
    folded = fold_name(name)
    exact = accelerators.get(folded)
    if exact is not None:
        return exact
    by_alias = [chip for chip in accelerators.values() if folded in chip.aliases]
    if by_alias:
        return by_alias[0]
    bare = folded.removeprefix("nvidia-").removeprefix("tesla-")
    candidates = sorted(
        known
        for known in accelerators
        if known == bare or re.fullmatch(rf"{re.escape(bare)}-\d+gb", known)
    )
    if len(candidates) == 1:
        return accelerators[candidates[0]]
    if candidates:
        expected = f"one of {', '.join(candidates)}"
        raise refuse(WHERE, "accelerator", name, "can mean more than one chip", expected)
    spellings = {known: known for known in accelerators}
    for chip in accelerators.values():
        spellings |= dict.fromkeys(chip.aliases, chip.name)
    guess = spellings.get(nearest(folded, spellings), "")
    hint = f" (did you mean {guess!r}?)" if guess else ""
    reason = f"is not an accelerator of the catalog{hint}"
    raise refuse(WHERE, "accelerator", name, reason, f"one of {', '.join(sorted(accelerators))}")
