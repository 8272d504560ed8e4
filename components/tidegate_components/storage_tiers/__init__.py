"""Buckets with storage classes, tiers and expiry on S3, Cloud Storage and Blob Storage."""
