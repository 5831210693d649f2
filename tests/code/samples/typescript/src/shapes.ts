import type { Unit } from "./parts";

/** What can be measured. */
export interface Shape {
  readonly unit: Unit;
  area(scale: number): number;
}

export interface Solid extends Shape {
  volume(): number;
}

export enum Colour {
  Red = "red",
  Blue = "blue",
}

export type Figure = Square | null;

export function sealed(target: Function): void {}

export function measured(name: string) {
  return (target: object, key: string) => key + name;
}

export abstract class Base implements Shape {
  static readonly LIMIT = 10;
  constructor(readonly unit: Unit, private colour: Colour = Colour.Red) {}

  abstract area(scale: number): number;

  describe(): string {
    return this.unit.label() + this.area(1) + this.paint();
  }

  private paint = (): Colour => this.colour;
}

@sealed
export class Square extends Base {
  private side: Side = new Side(2);

  // how large it is
  @measured("m")
  area(scale: number): number {
    if (scale > Base.LIMIT && scale < 100) {
      return super.describe().length;
    }
    return this.side.times(scale);
  }

  get double(): Square {
    return this;
  }
}

class Side {
  constructor(private length: number) {}
  times(n: number): number;
  times(n: string): number;
  times(n: any): number {
    return this.length * n;
  }
}

export namespace Tools {
  export const grow = (shape: Square): Square => shape.double;
}
