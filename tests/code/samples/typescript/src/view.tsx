import Unit, { makeUnit as make, UNITS } from "./parts";
import * as shapes from "./shapes";

export default function View({ square }: { square: shapes.Square }) {
  const unit = make();
  const tall: shapes.Figure = shapes.Tools.grow(square);
  for (const item of [unit]) item.label();
  return <Panel title={unit.label()}>{UNITS.short()}{tall?.area(2)}</Panel>;
}

const Panel = ({ title }) => {
  const inner = () => title;
  return <b>{inner()}</b>;
};

new Unit().label();
