"""Units and currencies by the names people write, and how much one is of another (``pint``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure.

    Attributes:
        name: Its name; for anything but money and shares, pint's.
        dimension: What it measures ("mass", "time", "money", "share", …).
    """

    name: str
    dimension: str


_TABLE = """
mass: kilogram=kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes;
 gram=g gr gram grams gramme grammes;
 milligram=mg mgs milligram milligrams milligramme milligrammes;
 microgram=mcg µg μg ug microgram micrograms;
 pound=lb lbs pound pounds; ounce=oz ounce ounces; stone=stone; metric_ton=ton tons tonne tonnes
length: kilometer=km kms kilometer kilometers kilometre kilometres; meter=m meter meters metre metres;
 centimeter=cm centimeter centimeters centimetre centimetres;
 millimeter=mm millimeter millimeters millimetre millimetres;
 mile=mi mile miles; foot=ft foot feet; inch=inch inches; yard=yd yard yards; light_year=light-years
time: second=s sec secs second seconds; millisecond=ms msec millisecond milliseconds;
 microsecond=µs μs us microsecond microseconds; nanosecond=ns nanosecond nanoseconds;
 minute=min mins minute minutes; hour=h hr hrs hour hours; day=d day days;
 week=wk wks week weeks; fortnight=fortnight fortnights;
 month=month months; year=yr yrs year years; decade=decade decades; century=century centuries
nights: night=night nights
volume: liter=l liter liters litre litres; milliliter=ml milliliter milliliters millilitre millilitres cc;
 pint=pint pints; gallon=gallon gallons; cup=cup cups; teaspoon=tsp teaspoon teaspoons;
 tablespoon=tbsp tablespoon tablespoons
data: byte=byte bytes B; kilobyte=KB kB kilobyte kilobytes; megabyte=MB megabyte megabytes;
 gigabyte=GB gb gig gigs gigabyte gigabytes; terabyte=TB tb terabyte terabytes; mebibyte=MiB; gibibyte=GiB
temperature: degC=°C ℃ celsius; degF=°F ℉ fahrenheit; degree=° degree degrees
energy: kilowatt_hour=kWh kwh; watt_hour=Wh; kilocalorie=kcal calorie calories; joule=joule joules
power: watt=W watt watts; kilowatt=kW kilowatt kilowatts; megawatt=MW megawatt megawatts
speed: kilometer_per_hour=kph km/h kmh; mile_per_hour=mph; mbps=Mbps mbps; gbps=Gbps gbps
current: ampere=amp amps; frequency: hertz=Hz hz hertz; kilohertz=kHz; megahertz=MHz; gigahertz=GHz
pressure: mmHg=mmHg; bar=bar; screen: pixel=px pixel pixels
area: acre=acre acres; hectare=ha hectare hectares; square_meter=m² sqm; square_foot=sqft
share: percent=% percent pct; point=pp
money: EUR=€ eur euro euros; USD=$ usd us$ dollar dollars buck bucks; GBP=£ gbp quid sterling;
 JPY=¥ jpy yen; CHF=chf franc francs;
 SEK=sek; NOK=nok kr; DKK=dkk; INR=₹ inr rupee rupees; AUD=aud a$; CAD=cad c$; CNY=cny rmb yuan;
 KRW=krw won; PLN=pln zloty
cent: cent=cent cents ¢; pence=pence penny p
"""
_CASED = frozenset("B KB kB MB GB TB W kW MW A Wh kWh m s h d g l L p MiB GiB Hz us".split())
_FACTORS = {"month": ("day", 30.4375), "cup": ("milliliter", 240.0)}
_LONG = {
    "percent": ("per cent", "percent"),
    "point": ("percentage points", "percentage point", "percent points"),
}


@cache
def _names() -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    dimension = ""
    for part in re.split(r"[;\n]", _TABLE):
        head, colon, rest = part.strip().partition(": ")
        if colon:
            dimension, part = head, rest
        name, equals, surfaces = part.strip().partition("=")
        if equals:
            for surface in surfaces.split():
                found[surface] = (*found.get(surface, ()), Unit(name, dimension))
    for surface in ("pound", "pounds"):
        found[surface] = (*found[surface], Unit("GBP", "money"))
    for name, surfaces_of in _LONG.items():
        for surface in surfaces_of:
            found[surface] = (Unit(name, "share"),)
    return found


@lru_cache(maxsize=8_192)
def units_named(surface: str) -> tuple[Unit, ...]:
    """Return what a word may mean as a unit ("pounds" means two); empty if it is none.

    One-letter and capital symbols count only as written; every other name in any case.
    """
    names = _names()
    if surface in names:
        return names[surface]
    if surface in _CASED or len(surface) < 2:
        return ()
    lower = surface.lower()
    return names.get(lower, ()) if lower not in _CASED else ()


@lru_cache(maxsize=8_192)
def in_base(value: float, name: str) -> float:
    """Return ``value`` of the unit ``name`` in its dimension's base; money and shares as they are."""
    if name in _FACTORS:
        name, factor = _FACTORS[name]
        value *= factor
    try:
        return float(_registry().Quantity(value, name).to_base_units().magnitude)
    except _unknown():
        return value


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


@cache
def _unknown() -> type[Exception]:
    import pint

    undefined: type[Exception] = pint.UndefinedUnitError
    return undefined


def same_amount(value: float, unit: Unit, other: float, other_unit: Unit, tolerance: float) -> bool:
    """Tell whether two amounts are equal within a relative tolerance, converted where units differ."""
    if unit.dimension != other_unit.dimension:
        return False
    if unit.name != other_unit.name and "degree" not in {unit.name, other_unit.name}:
        if unit.dimension in {"money", "share", "cent"}:
            return False
        value, other = in_base(value, unit.name), in_base(other, other_unit.name)
        if unit.dimension == "data":
            tolerance = max(tolerance, 0.05)  # 1,000 or 1,024
        if "month" in {unit.name, other_unit.name}:
            tolerance = max(tolerance, 0.04)  # months have 28 to 31 days
    return abs(value - other) <= tolerance * max(abs(value), abs(other)) + 1e-9
