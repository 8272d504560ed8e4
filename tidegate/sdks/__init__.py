"""Provider SDKs of Pulumi, loaded in parts: a single class costs no more than itself."""
