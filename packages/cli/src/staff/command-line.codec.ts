import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { Argument, Option, type Command } from "commander";

import { parseId, parseLimit, mostAtOnce } from "../arguments/value-parsers.ts";

/** An argument or options of a command line, and the value that they come to. */
export interface Input<Value> {
  /** What a person types, as a refusal names it: `--from`, `<id>`; undefined where nobody types it, or several options. */
  readonly name: string | undefined;
  readonly add: (command: Command) => void;
  readonly read: (command: Command) => Value;
}

/** What some inputs come to, by their names. */
export type Given<Inputs> = {
  readonly [Name in keyof Inputs]: Inputs[Name] extends Input<infer Value> ? Value : never;
};

/** What the command line gives a request, by the request's fields. */
export type RequestInputs<Request extends DescMessage> = {
  readonly [Field in keyof MessageInitShape<Request>]?: Input<MessageInitShape<Request>[Field]>;
};

type Parse<Value> = (text: string) => Value;

/** An argument: `<name>`, or `[name]` where it may be left out. */
export function argument<Value>(name: string, description: string, parse: Parse<Value>): Input<Value> {
  return ofArgument(new Argument(name, description).argParser(parse));
}

/** An argument with a text for where it is left out. */
export function argumentOr(name: string, description: string, otherwise: string): Input<string> {
  return ofArgument(new Argument(name, description).default(otherwise));
}

function ofArgument<Value>(declared: Argument): Input<Value> {
  return {
    name: `<${declared.name()}>`,
    add: (command) => void command.addArgument(declared),
    // Commander keeps what the parser returned, and forgets its type.
    read: (command) => command.processedArgs[command.registeredArguments.indexOf(declared)] as Value,
  };
}

/** An option that may be left out: `--flag <value>`. @param other an option that it contradicts */
export function option<Value = string>(
  flags: string,
  description: string,
  parse?: Parse<Value>,
  other?: string,
): Input<Value | undefined> {
  const declared = parsing(new Option(flags, description), parse);
  return inputOf(other === undefined ? declared : declared.conflicts(other));
}

/** An option with a value for where it is left out. */
export function optionOr<Value>(
  flags: string,
  description: string,
  parse: Parse<Value>,
  otherwise: Value,
): Input<Value> {
  return inputOf(parsing(new Option(flags, description), parse).default(otherwise));
}

/** An option that must be there. */
export function required<Value>(flags: string, description: string, parse: Parse<Value>): Input<Value> {
  return inputOf(parsing(new Option(flags, description), parse).makeOptionMandatory());
}

/** An option without a value. */
export function flag(flags: string, description: string): Input<boolean> {
  return inputOf(new Option(flags, description).default(false));
}

/** An option whose value is one of some words. */
export function choice(
  flags: string,
  description: string,
  choices: readonly string[],
): Input<string | undefined> {
  return inputOf(new Option(flags, description).choices(choices));
}

/** Such an option that must be there. */
export function requiredChoice(
  flags: string,
  description: string,
  choices: readonly string[],
): Input<string> {
  return inputOf(new Option(flags, description).choices(choices).makeOptionMandatory());
}

/** `--after` and `--limit` of a list. */
export const page: Input<{ readonly afterId: bigint; readonly limit: number }> = {
  name: undefined,
  add: (command) =>
    void command
      .option("--after <id>", "only what has a greater id", parseId)
      .option("--limit <count>", `so many at most, 1 to ${String(mostAtOnce)}`, parseLimit, mostAtOnce),
  read: (command) => {
    const { after = 0n, limit } = command.opts<{ after?: bigint; limit: number }>();
    return { afterId: after, limit };
  },
};

/** A field that the command line does not say. */
export function fixed<Value>(value: Value): Input<Value> {
  return { name: undefined, add: () => undefined, read: () => value };
}

function parsing<Value>(declared: Option, parse: Parse<Value> | undefined): Option {
  return parse === undefined ? declared : declared.argParser(parse);
}

function inputOf<Value>(declared: Option): Input<Value> {
  return {
    name: declared.long,
    add: (command) => void command.addOption(declared),
    read: (command) => command.opts()[declared.attributeName()] as Value,
  };
}

/** Declares inputs on a command. */
export function addInputs(command: Command, inputs: object): void {
  for (const input of Object.values(inputs) as readonly Input<unknown>[]) input.add(command);
}

/** What a person types, by the field that it becomes. */
export function typedNames(inputs: object): ReadonlyMap<string, string> {
  const entries = Object.entries(inputs) as readonly (readonly [string, Input<unknown>])[];
  return new Map(entries.flatMap(([field, { name }]) => (name === undefined ? [] : [[field, name]])));
}

/** What a command line says, by the inputs' names; what it leaves out has no name. */
export function readInputs<Inputs extends object>(command: Command, inputs: Inputs): Given<Inputs> {
  const entries = (Object.entries(inputs) as readonly (readonly [string, Input<unknown>])[]).map(
    ([name, input]) => [name, input.read(command)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Given<Inputs>;
}

/** What a command line says of a request, by the request's fields. */
export function readRequest<Request extends DescMessage>(
  command: Command,
  inputs: RequestInputs<Request>,
): MessageInitShape<Request> {
  return readInputs(command, inputs) as MessageInitShape<Request>;
}
