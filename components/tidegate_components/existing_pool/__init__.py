"""A pool that something else made and owns: it enters the manifest, and nothing is touched."""
