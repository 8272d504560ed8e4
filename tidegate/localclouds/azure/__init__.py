"""Azure in the local clouds: its types and the REST face that its own SDKs call."""
