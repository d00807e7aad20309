"""Word vectors against slow loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.article.tokens import TABLE
from miolo.models.article.word_vectors import BESIDE, SHRINKAGE, learn_word_vectors

FEATURES = 3

blocks_of_words = st.lists(st.lists(st.integers(1, 9), max_size=4), min_size=1, max_size=6)


def page(words: list[list[int]], seed: int = 0):
    """Features and hashed words of a made-up page."""
    features = np.random.default_rng(seed).normal(size=(len(words), FEATURES)).astype(np.float32)
    tokens = np.zeros((len(words), 4), np.int32)
    for row, each in zip(tokens, words, strict=True):
        row[: len(each)] = each
    return features, tokens


def shrunk_contexts(pages) -> tuple[np.ndarray, np.ndarray]:
    """Shrunken mean context of each word, by definition, and its number of occurrences."""
    seen: dict[int, list[np.ndarray]] = {}
    nothing = np.zeros(FEATURES)
    for features, tokens in pages:
        for block, row in enumerate(tokens):
            before = features[block - 1] if block else nothing
            after = features[block + 1] if block + 1 < len(tokens) else nothing
            context = np.concatenate([features[block], BESIDE * before, BESIDE * after])
            for word in set(row.tolist()) - {0}:
                seen.setdefault(word, []).append(context)
    everything = [context for contexts in seen.values() for context in contexts]
    mean = np.mean(everything, axis=0) if everything else 0
    contexts, counts = np.zeros((TABLE, 3 * FEATURES)), np.zeros(TABLE)
    for word, own in seen.items():
        counts[word] = len(own)
        contexts[word] = np.sum(own - mean, axis=0) / (len(own) + SHRINKAGE)
    return contexts, counts


@given(st.lists(blocks_of_words, min_size=1, max_size=3))
def test_vectors_of_full_length_keep_the_distances_of_contexts(pages_of_words):
    pages = [page(words, seed) for seed, words in enumerate(pages_of_words)]
    vectors = learn_word_vectors(*zip(*pages, strict=True), width=3 * FEATURES)
    contexts, _ = shrunk_contexts(pages)
    words = np.unique(np.concatenate([tokens.ravel() for _, tokens in pages]))
    ours = vectors.table[words] * vectors.scale
    for one, other in ((a, b) for a in range(len(words)) for b in range(a)):
        expected = np.linalg.norm(contexts[words[one]] - contexts[words[other]])
        # The table is quantised in steps of one part in 127.
        slack = 2 * np.linalg.norm(vectors.scale) + 1e-4
        assert abs(np.linalg.norm(ours[one] - ours[other]) - expected) <= slack
