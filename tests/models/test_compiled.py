"""Results without Numba are those of compiled functions."""

import json
import subprocess
import sys

HIDDEN = "import sys; sys.modules['numba'] = None\n"

WORK = """
import json, random
import miolo
from miolo.debug.comparison.compare import compare_snapshots
from miolo.extract.learn_site import learn_site
from miolo.models.trees.top_down import top_down_distance
from miolo.models.trees.subtree_classes import SubtreeClasses

def page(number):
    chance = random.Random(number)
    words = "the harbour town tide council market road ferry school river bridge light".split()
    def sentence():
        return " ".join(chance.choices(words, k=chance.randint(8, 20))).capitalize() + "."
    story = "".join(f"<p>{sentence()} {sentence()}</p>" for _ in range(chance.randint(3, 6)))
    items = "".join(f"<li><a href=/{k}>{sentence()}</a></li>" for k in range(chance.randint(2, 5)))
    source = (f"<title>{number}</title><nav><a href=/>Home</a> <a href=/w>World</a></nav>"
              f"<main><h1>{sentence()}</h1>{story}<ul>{items}</ul></main><footer>Terms</footer>")
    return miolo.Snapshot.from_html(source, url=f"https://a.example/{number}")

pages = [page(number) for number in range(5)]
site = learn_site(pages[:4])
results = {name: miolo.extract_snapshot(pages[4], name, site=site).text
           for name in ("rtdm", "template", "sitelevel", "auto")}
changes = compare_snapshots(pages[0], pages[1])
results["compare"] = [changes.distance, changes.mapping.tolist()]
classes = SubtreeClasses()
trees = classes.tree([-1, 0, 0, 2, 2, 0], "abcdea"), classes.tree([-1, 0, 1, 1, 0], "acdba")
for restricted in (True, False):
    found = top_down_distance(*trees, restricted=restricted, mapping=True)
    results[str(restricted)] = [found.distance, found.mapping.tolist()]
print(json.dumps(results))
"""


def results(code: str) -> dict[str, object]:
    command = [sys.executable, "-W", "default", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.count("Numba is not installed") == code.startswith(HIDDEN)
    return json.loads(done.stdout)


def test_results_do_not_depend_on_numba():
    assert results(HIDDEN + WORK) == results(WORK)
