export { Unit as default, Unit } from "./unit.js";
export * from "./unit.js";
