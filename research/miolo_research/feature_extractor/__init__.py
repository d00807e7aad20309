"""FeatureExtractor: the block that is mostly text."""
