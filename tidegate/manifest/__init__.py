"""The capacity manifest: the one document everything after `pulumi up` reads."""
