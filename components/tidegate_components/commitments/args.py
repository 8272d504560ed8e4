"""The arguments of a commitment that several components take."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict


class AcknowledgementArgs(TypedDict):
    """What is agreed to before anything is bought."""

    hourly_amount: str
    """What the commitment may cost an hour, used or not, as a decimal string."""
    currency: str
    """The amount's currency, as ISO 4217 writes it."""
    end_date: str
    """The last day that is paid for, as YYYY-MM-DD."""


class PurchaseArgs(TypedDict):
    """What only some kinds of commitment say of their purchase."""

    offering_id: NotRequired[str]
    """The offering of a capacity block or savings plan, as AWS lists it."""
    purchase_time: NotRequired[str]
    """When AWS buys a savings plan, as 2027-01-04T09:00:00Z. Until then, and only until then, it
    can be undone."""
    upfront_amount: NotRequired[str]
    """What of a savings plan is paid upfront, as a decimal string."""
    start_date: NotRequired[str]
    """The first day that is paid for, as YYYY-MM-DD, where it is not the day of the purchase."""
    term_months: NotRequired[int]
    """12 or 36."""
    covers: NotRequired[list[str]]
    """What an instrument of money covers: instance families or services, as its cloud says."""
    commitment_type: NotRequired[str]
    """Compute Engine's commitment type, where the machine's family does not decide it."""
    existing_reservations: NotRequired[str]
    """Reservations that a commitment of accelerators pays for: Compute Engine asks for them."""
    planning_status: NotRequired[str]
    """DRAFT or SUBMITTED for a future reservation; DRAFT unless stated, which buys nothing."""
