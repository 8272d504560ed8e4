"""What serves, scales and explores on SageMaker, as the tests declare it."""

from __future__ import annotations

import base64

MODEL = "aws:sagemaker/model:Model"

CONFIGURATION = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"

ENDPOINT = "aws:sagemaker/endpoint:Endpoint"

TARGET = "aws:appautoscaling/target:Target"

POLICY = "aws:appautoscaling/policy:Policy"

NOTEBOOK = "aws:sagemaker/notebookInstance:NotebookInstance"

SCRIPT = (
    "aws:sagemaker/notebookInstanceLifecycleConfiguration:NotebookInstanceLifecycleConfiguration"
)

DOMAIN = "aws:sagemaker/domain:Domain"

PROFILE = "aws:sagemaker/userProfile:UserProfile"

SPACE = "aws:sagemaker/space:Space"

IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/serve:1"

NOBODY = "arn:aws:iam::123456789012:role/nobody"


def variant(model, **changes):
    return {
        "variantName": "main",
        "modelName": model.id,
        "instanceType": "ml.g5.xlarge",
        "initialInstanceCount": 1,
        **changes,
    }


def scale(endpoint, **changes):
    return {
        "serviceNamespace": "sagemaker",
        "resourceId": f"endpoint/{endpoint}/variant/main",
        "scalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "minCapacity": 0,
        "maxCapacity": 4,
        **changes,
    }


def encode(text):
    return base64.b64encode(text.encode()).decode()
