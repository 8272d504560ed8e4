"""Google Cloud on this machine: GKE, Compute, Storage, Logging and IAM resources and their REST."""
