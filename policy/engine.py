"""The facade: load policies, decide on actions, and ask what there is to know about both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from policy.check.compile import Compiled, compile_layers
from policy.check.load import LayerSource, read_layer, source_layer
from policy.contracts.catalog import LoadedCatalog, load_catalog
from policy.contracts.remembered import RememberedAdmissions
from policy.decide.authority import AuthorityResolver
from policy.decide.compiled import CompiledPolicy, prepare
from policy.decide.conditions import Record
from policy.decide.digest import request_digest
from policy.decide.engine import Given, GivenCapability, Surroundings, decide_recorded, expose, failed
from policy.decide.engine import decide as decide_once
from policy.decide.explanation import Explanation, explain
from policy.decide.plans import Plans
from policy.decide.shape import Clock, shape_action, shape_context
from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.capability import Capability
from policy.model.context import Context
from policy.model.decision import Decision
from policy.source.diagnostic import Diagnostic, has_errors
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.syntax.parser import parse
from policy.syntax.printer import print_file

__all__ = ["Engine", "Explanation", "PolicyError", "check", "compile", "format"]

Given_ = TypeVar("Given_")
PolicyPath = str | PathLike[str]
"""A file or a folder of `.policy` files."""
GivenAction = Action | Mapping[str, Any]
"""An action as a model or as plain JSON-like data."""
GivenDocument = AdmittedCapability | Capability | Mapping[str, Any]
"""A capability as admitted by a catalog, as a model, or as plain JSON-like data."""
GivenContext = Context | Mapping[str, Any]
"""A context as a model or as plain JSON-like data."""
Backend = Literal["compiled", "interpreter"]
"""How conditions are evaluated: by generated functions behind an index, or by the reference interpreter. Both agree."""


class PolicyError(Exception):
    """A policy that does not load, not even in part."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        """Every finding, errors and warnings."""
        errors = [each for each in self.diagnostics if each.is_error]
        super().__init__("\n".join(f"{each.location}: error[{each.code}]: {each.message}" for each in errors))


class Engine:
    """Decides by one policy. Immutable but for a bounded memory of capabilities; shared by threads without a lock."""

    __slots__ = ("_admissions", "_compiled", "_diagnostics", "_surroundings")

    def __init__(
        self,
        compiled: CompiledPolicy,
        diagnostics: Iterable[Diagnostic] = (),
        *,
        resolver: AuthorityResolver | None = None,
        clock: Clock | None = None,
        backend: Backend = "compiled",
    ) -> None:
        """An engine over what `compile` gave.

        `resolver` gives the authority records of approvers, else the context's are used. `clock` gives `now` where a
        context has none. Raises ValueError for an unknown backend.
        """
        if backend not in ("compiled", "interpreter"):
            raise ValueError(f"there is no backend {backend!r}")
        self._compiled = compiled
        self._diagnostics = tuple(diagnostics)
        self._surroundings = Surroundings(
            clock=clock, resolver=resolver, plans=Plans(compiled) if backend == "compiled" else None
        )
        self._admissions = RememberedAdmissions(limits=compiled.limits)

    @classmethod
    def load(
        cls,
        *paths: PolicyPath,
        resolver: AuthorityResolver | None = None,
        clock: Clock | None = None,
        limits: Limits = DEFAULT_LIMITS,
        catalog: LoadedCatalog | PolicyPath | None = None,
        backend: Backend = "compiled",
    ) -> Self:
        """Load files or folders of `.policy` files; several are layers, first the outermost.

        A `catalog` lets the checker see the capabilities that the rules will meet. Raises PolicyError with every
        diagnostic where a file has an error, a path does not exist or a folder holds no policy.
        """
        compiled, diagnostics = _compiled([read_layer(Path(path), limits) for path in paths], limits, catalog)
        return cls(compiled, diagnostics, resolver=resolver, clock=clock, backend=backend)

    @classmethod
    def from_source(
        cls,
        *sources: str,
        resolver: AuthorityResolver | None = None,
        clock: Clock | None = None,
        limits: Limits = DEFAULT_LIMITS,
        catalog: LoadedCatalog | PolicyPath | None = None,
        backend: Backend = "compiled",
    ) -> Self:
        """Load policies from text; several are layers, first the outermost. Nothing is imported.

        Raises PolicyError as `load` does.
        """
        compiled, diagnostics = _compiled(_source_layers(sources, limits), limits, catalog)
        return cls(compiled, diagnostics, resolver=resolver, clock=clock, backend=backend)

    @property
    def policy(self) -> ir.PolicySet:
        """The resolved program."""
        return self._compiled.policy

    @property
    def policy_hash(self) -> str:
        """`sha256:…` over what the policy means."""
        return self._compiled.policy.hash

    @property
    def compiled(self) -> CompiledPolicy:
        """The policy as it was prepared for decisions."""
        return self._compiled

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The warnings that loading gave."""
        return self._diagnostics

    def decide(self, action: GivenAction, capability: GivenDocument, context: GivenContext) -> Decision:
        """May this run, must people approve it first, or is it refused, and why. Never raises for data."""
        try:
            given = self._admitted(capability)
        except Exception as error:  # noqa: BLE001 - a failure is a denial, told and logged
            return failed(self._compiled, error)
        return decide_once(self._compiled, action, given, context, self._surroundings)

    def decide_many(self, requests: Iterable[tuple[GivenAction, GivenDocument, GivenContext]]) -> Iterator[Decision]:
        """Decide on each of (action, capability, context), lazily, in the same order."""
        return (self.decide(action, capability, context) for action, capability, context in requests)

    def specialise(self, capability: GivenDocument) -> Callable[[GivenAction, GivenContext], Decision]:
        """The decision function of one capability, as it is now. One that is not admitted is always refused."""
        try:
            given = self._admitted(capability)
        except Exception as error:  # noqa: BLE001 - a failure is a denial, told and logged
            refused = failed(self._compiled, error)
            return lambda action, context: refused

        def decide_on(action: GivenAction, context: GivenContext) -> Decision:
            return decide_once(self._compiled, action, given, context, self._surroundings)

        return decide_on

    def exposes(self, capability: GivenDocument, context: GivenContext) -> Decision:
        """Whether a capability may be shown: a decision about reach and prohibitions alone. Never raises for data."""
        try:
            given = self._admitted(capability)
        except Exception as error:  # noqa: BLE001 - a failure is a denial, told and logged
            return failed(self._compiled, error)
        return expose(self._compiled, given, context, self._surroundings)

    def visible(self, capabilities: Iterable[Given_], context: GivenContext) -> list[Given_]:
        """Those of the capabilities that may be shown, in the same order."""
        return [each for each in capabilities if self.exposes(each, context).allowed]  # type: ignore[arg-type]

    def explain(self, action: GivenAction, capability: GivenDocument, context: GivenContext) -> Explanation:
        """The decision with every rule that was considered, every condition, its value, and why."""
        record = Record()
        given = Given(action=action, capability=self._admitted(capability), context=context)
        return explain(self._compiled, decide_recorded(self._compiled, given, self._surroundings, record), record)

    def request_digest(self, action: GivenAction, capability: GivenDocument, context: GivenContext) -> str | None:
        """What an approval is bound to, `sha256:…`; None where the request cannot be read, which no decision allows."""
        read = shape_action(action, self._compiled.limits)
        given = self._admitted(capability)
        shaped = shape_context(context, self._compiled, self._surroundings.clock)
        if isinstance(read, tuple) or not isinstance(given, AdmittedCapability) or isinstance(shaped, tuple):
            return None
        return request_digest(read, given, shaped.context)

    def _admitted(self, capability: GivenDocument) -> GivenCapability:
        if isinstance(capability, AdmittedCapability):
            return capability
        admission = self._admissions.admit(capability)
        return admission.diagnostics if admission.capability is None else admission.capability


def compile(
    *paths: PolicyPath, limits: Limits = DEFAULT_LIMITS, catalog: LoadedCatalog | PolicyPath | None = None
) -> CompiledPolicy:
    """Compile files or folders of `.policy` files; several are layers. Raises PolicyError as `Engine.load` does."""
    return _compiled([read_layer(Path(path), limits) for path in paths], limits, catalog)[0]


def check(
    *paths: PolicyPath, limits: Limits = DEFAULT_LIMITS, catalog: LoadedCatalog | PolicyPath | None = None
) -> tuple[Diagnostic, ...]:
    """Every finding about policies and, with a catalog, about its capabilities and the rules against them."""
    loaded = _catalog(catalog)
    layers = [read_layer(Path(path), limits) for path in paths]
    compiled = compile_layers(layers, limits, None if loaded is None else loaded.view)
    return _findings(loaded, compiled)


def format(source: str, name: str = "policy", limits: Limits = DEFAULT_LIMITS) -> str:
    """The canonical layout of a policy text, comments kept. Raises PolicyError where it does not parse."""
    layer = source_layer(source, name, limits)
    if not layer.files:
        raise PolicyError(layer.diagnostics)
    file, diagnostics = parse(layer.files[0], limits)
    if has_errors(diagnostics):
        raise PolicyError(diagnostics)
    return print_file(file)


def _source_layers(sources: tuple[str, ...], limits: Limits) -> list[LayerSource]:
    if len(sources) == 1:
        return [source_layer(sources[0], limits=limits)]
    return [source_layer(text, f"layer-{number}", limits) for number, text in enumerate(sources, start=1)]


def _catalog(catalog: LoadedCatalog | PolicyPath | None) -> LoadedCatalog | None:
    return catalog if catalog is None or isinstance(catalog, LoadedCatalog) else load_catalog(Path(catalog))


def _findings(catalog: LoadedCatalog | None, compiled: Compiled) -> tuple[Diagnostic, ...]:
    """The findings about a catalog that the policies do not accept, and those about the policies."""
    beside = () if catalog is None else catalog.diagnostics
    return (*(each for each in beside if each not in compiled.accepted), *compiled.diagnostics)


def _compiled(
    layers: list[LayerSource], limits: Limits, catalog: LoadedCatalog | PolicyPath | None
) -> tuple[CompiledPolicy, tuple[Diagnostic, ...]]:
    """The program of the layers with the warnings; of a catalog with errors, what could be read of it counts."""
    if not layers:
        raise ValueError("name at least one policy")
    loaded = _catalog(catalog)
    if loaded is not None and loaded.kind == "unknown":
        raise PolicyError(loaded.diagnostics)
    compiled = compile_layers(layers, limits, None if loaded is None else loaded.view)
    diagnostics = _findings(loaded, compiled)
    if compiled.policy is None:
        raise PolicyError(diagnostics)
    return prepare(compiled.policy, limits), diagnostics
