"""Folders of learned sites."""

import miolo
import pytest
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.run_batch import check_method
from miolo.collect.distributed.page_reader import PageRecipe
from miolo.models.site_folder import SiteFolder
from miolo.serve.service_options import ServiceOptions


@pytest.fixture
def damaged(tmp_path):
    (tmp_path / "a.example.json").write_text('{"a":')
    return tmp_path


def in_batch(folder):
    check_method(BatchOptions(extract=miolo.ExtractOptions(site=SiteFolder(folder))))


@pytest.mark.parametrize(
    "use",
    [
        in_batch,
        lambda folder: PageRecipe(sites=folder),
        lambda folder: ServiceOptions(sites=folder, sandbox=False).check(),
    ],
)
def test_damaged_files_and_missing_folders_are_named_before_any_page_is_read(use, damaged):
    with pytest.raises(miolo.ArchiveError, match=r"a\.example\.json"):
        use(damaged)
    with pytest.raises(NotADirectoryError, match="there is no folder"):
        use(damaged / "sites")
