"""Trained players as files that other programs read: safetensors, and ONNX."""
