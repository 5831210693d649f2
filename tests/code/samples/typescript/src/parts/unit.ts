export class Unit {
  label(): string {
    return UNITS.metre.toUpperCase();
  }
}

export const UNITS = { metre: "m", short: () => "m" };

export function makeUnit(): Unit {
  return new Unit();
}
