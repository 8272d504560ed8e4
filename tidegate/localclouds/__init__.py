"""The local clouds: the embedded aws, gcp and azure-native providers over one store."""
