import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.segmenters import LONGEST, segment_words, segmenter, text_language
from miolo.features.words import words

CHINESE = "本文提出一种基于局部语义的网页净化算法。"
JAPANESE = "昨日の東京は雨でしたが、明日は晴れるそうです。"


@pytest.mark.parametrize(
    ("texts", "declared", "expected"),
    [
        ([CHINESE], "", "zh"),
        ([CHINESE], "en", "zh"),
        ([CHINESE], "zh-CN,en,default", "zh-CN,en,default"),
        ([CHINESE], "ja", "zh"),
        ([JAPANESE], "", "ja"),
        ([JAPANESE], "ja-JP", "ja-JP"),
        ([JAPANESE], "zh", "ja"),
        ([CHINESE * 3, "动漫の世界"], "", "zh"),
        (["The page in other languages", "of which there are a few", "中文"], "en", "en"),
        (["한국어 문장입니다"], "ko", "ko"),
        (["nothing but this"], "zh", "zh"),
        ([], "fr", "fr"),
    ],
)
def test_the_script_determines_the_language(texts, declared, expected):
    assert text_language(texts, declared) == expected


def test_chinese_is_cut_by_dictionary():
    pytest.importorskip("rjieba")
    cut = segmenter("zh-TW")
    assert segment_words("网页净化 of HTML 4.0", cut) == ["网页", "净化", "of", "HTML", "4", "0"]


@given(st.text("ab 1é漢字かなカナー。\U00020000", max_size=40))
def test_segmentation_keeps_all_text_and_does_not_change_spaced_words(text):
    pairs = segment_words(text, lambda run: [run[i : i + 2] for i in range(0, len(run), 2)])
    assert "".join(pairs) == "".join(words(text))
    assert segment_words(text, None) == words(text)
    assert segment_words(text, list) == words(text)


def test_a_segmenter_gets_texts_up_to_its_limit():
    lengths = []

    def cut(run: str) -> list[str]:
        lengths.append(len(run))
        return [run]

    assert "".join(segment_words("漢" * (2 * LONGEST + 3), cut)) == "漢" * (2 * LONGEST + 3)
    assert lengths == [LONGEST, LONGEST, 3]


@pytest.mark.parametrize(("language", "package"), [("zh", "rjieba"), ("ja", "sudachipy")])
@given(
    text=st.text(st.sampled_from("漢字網页の は・カー゛々〆\u3099\U00020000\uff9e"), max_size=30)
)
def test_segmentation_by_dictionary_keeps_all_text(language, package, text):
    pytest.importorskip(package)
    cut = segmenter(language)
    if cut is None:
        pytest.skip("its dictionary is not installed")
    assert "".join(segment_words(text, cut)) == "".join(words(text))
    assert segment_words(text, cut) == segment_words(text, cut)
