from .collect.collections.collection import Collection as Collection
from .collect.collections.collection_reader import CollectionPage as CollectionPage
from .debug.comparison.compare import compare_snapshots as compare_snapshots
from .debug.pictures.crops import article_screenshot as article_screenshot
from .debug.pictures.crops import element_screenshot as element_screenshot
from .debug.pictures.picture import annotated_screenshot as annotated_screenshot
from .debug.pictures.picture_registry import Picture as Picture
from .debug.reports.compare_report import html_report_of_pair as html_report_of_pair
from .debug.reports.html_reports import html_report as html_report
from .debug.reports.html_reports import html_report_of_site as html_report_of_site
from .errors import ArchiveError as ArchiveError
from .errors import BadLineError as BadLineError
from .errors import BrowserCrashedError as BrowserCrashedError
from .errors import BrowserNotFoundError as BrowserNotFoundError
from .errors import BrowserRequiredError as BrowserRequiredError
from .errors import CollectionLockedError as CollectionLockedError
from .errors import DuplicatePageError as DuplicatePageError
from .errors import EgressRefusedError as EgressRefusedError
from .errors import ElementNotFoundError as ElementNotFoundError
from .errors import EmptyInputError as EmptyInputError
from .errors import EmptyPageError as EmptyPageError
from .errors import ExtractionError as ExtractionError
from .errors import LowConfidenceError as LowConfidenceError
from .errors import MioloError as MioloError
from .errors import MissingDependencyError as MissingDependencyError
from .errors import MissingScreenshotError as MissingScreenshotError
from .errors import MissingSiteError as MissingSiteError
from .errors import NavigationError as NavigationError
from .errors import NotHTMLError as NotHTMLError
from .errors import PageBlockedError as PageBlockedError
from .errors import PageError as PageError
from .errors import PageNotAcceptedError as PageNotAcceptedError
from .errors import PageTimeoutError as PageTimeoutError
from .errors import PageWarning as PageWarning
from .errors import RenderError as RenderError
from .errors import RobotsDisallowedError as RobotsDisallowedError
from .errors import SettingsError as SettingsError
from .errors import StorageError as StorageError
from .errors import TextError as TextError
from .errors import TooLargeError as TooLargeError
from .errors import UnknownMethodError as UnknownMethodError
from .errors import UnknownRoleError as UnknownRoleError
from .errors import UnsupportedSystemError as UnsupportedSystemError
from .extract.job import Artefact as Artefact
from .extract.job import PageJob as PageJob
from .extract.job_run import extract_page as extract_page
from .extract.job_run import extract_page_sync as extract_page_sync
from .extract.learn_site import learn_site as learn_site
from .extract.methods.method import Learned as Learned
from .extract.methods.method import Method as Method
from .extract.methods.records import extract_records as extract_records
from .extract.methods.registry import METHODS as METHODS
from .extract.methods.selection import Selection as Selection
from .extract.options import ExtractOptions as ExtractOptions
from .extract.pages import extract_html as extract_html
from .extract.pages import extract_many as extract_many
from .extract.pages import extract_url as extract_url
from .extract.pagination import FollowOptions as FollowOptions
from .extract.pipeline import extract_snapshot as extract_snapshot
from .extract.printing import print_article as print_article
from .extract.sources import HTML as HTML
from .extract.sources import parse_source as parse_source
from .models.article.model import Reader as Reader
from .models.article.roles import PRESETS as PRESETS
from .models.article.roles import ROLES as ROLES
from .models.site import Site as Site
from .models.site_folder import SiteFolder as SiteFolder
from .output.document.walk import Link as Link
from .output.extraction import Block as Block
from .output.extraction import Extraction as Extraction
from .output.formats import format_extraction as format_extraction
from .output.page_result import PageResult as PageResult
from .output.saved_images import SavedImages as SavedImages
from .output.saved_images import save_images as save_images
from .output.write.chunks import Chunk as Chunk
from .output.write_options import WriteOptions as WriteOptions
from .renderer.archives.archive import Archive as Archive
from .renderer.archives.open_archive import open_archive as open_archive
from .renderer.archives.open_archive import save_archive as save_archive
from .renderer.network.cookies import read_cookies as read_cookies
from .renderer.network.policy import EgressPolicy as EgressPolicy
from .renderer.options import Limits as Limits
from .renderer.options import RenderOptions as RenderOptions
from .renderer.page.snapshot import PageInfo as PageInfo
from .renderer.page.snapshot import Snapshot as Snapshot
from .renderer.renderer import Renderer as Renderer
from .renderer.renderer import render_html as render_html
from .renderer.renderer import render_url as render_url
from .renderer.settings import load_settings as load_settings
from .version import __version__ as __version__

__all__ = [
    "HTML",
    "METHODS",
    "PRESETS",
    "ROLES",
    "Archive",
    "ArchiveError",
    "Artefact",
    "BadLineError",
    "Block",
    "BrowserCrashedError",
    "BrowserNotFoundError",
    "BrowserRequiredError",
    "Chunk",
    "Collection",
    "CollectionLockedError",
    "CollectionPage",
    "DuplicatePageError",
    "EgressPolicy",
    "EgressRefusedError",
    "ElementNotFoundError",
    "EmptyInputError",
    "EmptyPageError",
    "ExtractOptions",
    "Extraction",
    "ExtractionError",
    "FollowOptions",
    "Learned",
    "Limits",
    "Link",
    "LowConfidenceError",
    "Method",
    "MioloError",
    "MissingDependencyError",
    "MissingScreenshotError",
    "MissingSiteError",
    "NavigationError",
    "NotHTMLError",
    "PageBlockedError",
    "PageError",
    "PageInfo",
    "PageJob",
    "PageNotAcceptedError",
    "PageResult",
    "PageTimeoutError",
    "PageWarning",
    "Picture",
    "Reader",
    "RenderError",
    "RenderOptions",
    "Renderer",
    "RobotsDisallowedError",
    "SavedImages",
    "Selection",
    "SettingsError",
    "Site",
    "SiteFolder",
    "Snapshot",
    "StorageError",
    "TextError",
    "TooLargeError",
    "UnknownMethodError",
    "UnknownRoleError",
    "UnsupportedSystemError",
    "WriteOptions",
    "__version__",
    "annotated_screenshot",
    "article_screenshot",
    "compare_snapshots",
    "element_screenshot",
    "extract_html",
    "extract_many",
    "extract_page",
    "extract_page_sync",
    "extract_records",
    "extract_snapshot",
    "extract_url",
    "format_extraction",
    "html_report",
    "html_report_of_pair",
    "html_report_of_site",
    "learn_site",
    "load_settings",
    "open_archive",
    "parse_source",
    "print_article",
    "read_cookies",
    "render_html",
    "render_url",
    "save_archive",
    "save_images",
]
