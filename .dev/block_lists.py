"""Write the lists of hosts in `renderer/network/hosts` from the npm package third-party-web.

    npm pack third-party-web && tar xzf third-party-web-*.tgz
    python .dev/block_lists.py package

The package (MIT licence) names the companies behind the hosts that real pages load from, each with
a category. Review the difference before it is committed: a company's hosts may also serve what
readers want, and then belong in `KEPT`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from publicsuffixlist import PublicSuffixList

LISTS = {"ads": ("ad",), "trackers": ("analytics", "tag-manager")}
FOLDER = Path(__file__).parents[1] / "renderer/network/hosts"

# Hosts of the categories that also serve articles, pictures, videos, comments, reviews, polls,
# products, log-ins, paywalls or scripts that pages cannot do without.
KEPT = frozenset(
    """
    01net.com affino.com agoramedia.com answcdn.com answers.com aol.co.uk aol.com aol.net
    aolcdn.com apester.com api.ceros.com apple.com atgsvcs.com avis-verifies.com bazaarvoice.com
    bbb.org bd4travel.com bestofmedia.com bing.com blogsmithmedia.com bsd.net buto.tv
    captivate.ai clerk.io confirmit.com d1q62gfb8siqnm.cloudfront.net
    d2xxq4ijfwetlm.cloudfront.net d9hhrg4mnvzow.cloudfront.net delvenetworks.com dsply.com
    easypolls.net ebay.com ebayimg.com editiondigital.com egain.com ekmsecure.com ekomi.com
    ekomi.de feedmagnet.com feefo.com five.tv flix360.com flixcar.com flixfacts.co.uk
    flixfacts.com flixsyndication.net flockler.com foodity.com force.com geni.us gigya.com
    guardian.co.uk hootsuite.com hostingprod.com hotukdeals.com ibmcloud.com imageg.net
    invodo.com janrain.com janrainbackplane.com jsonip.com jwpcdn.com jwplatform.com
    jwplayer.com jwpsrv.com lexity.com licdn.com limelight.com line-scdn.net line.me llnwd.net
    lockerdome.com loginradius.com longtailvideo.com lrcontent.com microsoft.com msecnd.net
    msn.com myunidays.com net.net npttech.com o2.pl oath.com okta.com oneall.com onet.pl
    ooyala.com opinionstage.com pagesuite-professional.co.uk poll.fm polldaddy.com
    powerreviews.com publishthis.com purch.com qmerce.com qualtrics.com questionpro.com
    quora.com qzzr.com rakuten-static.com rbl.ms rebelmouse.com reevoo.com reviews.co.uk
    reviews.io rovicorp.com rpxnow.com s-msft.com s-msn.com s.yimg.jp s81c.com salesforce.com
    sas.com scribblelive.com searchanise.com sidereel.com snapchat.com sodahead.com
    spiceworks.com stamped.io static.polldaddy.com surveygizmo.eu surveymonkey.com
    theguardian.com tinypass.com tm-awx.com truefitcorp.com trustpilot.com ubembed.com
    ui-portal.de unbounce.com unica.com unidays.world viafoura.co viafoura.net vidible.tv
    vmg.host vouchedfor.co.uk wayfair.com websta.me wishabi.com wishabi.net wowcher.co.uk wp.pl
    www.linkedin.com yahoo.com yahoo.net yahooapis.com yimg.com zenfs.com zoover.co.uk zoover.nl
    """.split()
)

# Hosts of large trackers whose companies the package has in other categories.
ADDED = {
    "ads": ("bat.bing.com", "static.ads-twitter.com"),
    "trackers": (
        "analytics.tiktok.com",
        "clarity.ms",
        "ct.pinterest.com",
        "static.cloudflareinsights.com",
        "tr.snapchat.com",
    ),
}

HEADER = """\
# Hosts of {subject}; each stands for its subdomains too.
# Made by .dev/block_lists.py from third-party-web {version}, categories {categories}, with
# exceptions and additions that are named there.
#
"""


def hosts_of(entities: Iterable[dict], name: str) -> list[str]:
    """Hosts of the categories of a list, without those within another one."""
    suffixes = PublicSuffixList()
    named = {
        domain.removeprefix("*.").lower()
        for entity in entities
        if entity["category"] in LISTS[name]
        for domain in entity["domains"]
    }
    hosts = {host for host in named if suffixes.privatesuffix(host)} - KEPT | set(ADDED[name])
    return sorted(host for host in hosts if not hosts & set(_parents(host)))


def _parents(host: str) -> Iterable[str]:
    while host := host.partition(".")[2]:
        yield host


def main(folder: Path) -> None:
    """Write both lists from the unpacked package."""
    version = json.loads((folder / "package.json").read_text())["version"]
    notice = (folder / "LICENSE").read_text()
    entities = json.loads((folder / "dist/entities-nostats.json").read_text())
    for name, categories in LISTS.items():
        hosts = hosts_of(entities, name)
        header = HEADER.format(
            subject={"ads": "advertisements", "trackers": "trackers"}[name],
            version=version,
            categories=" and ".join(categories),
        )
        licence = "".join(f"# {line}".rstrip() + "\n" for line in notice.strip().splitlines())
        (FOLDER / f"{name}.txt").write_text(f"{header}{licence}\n" + "\n".join(hosts) + "\n")
        print(f"{name}: {len(hosts):,} hosts")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
