import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { Argument, Option, type Command } from "commander";

import { parseId, parseLimit, mostAtOnce } from "../arguments/value-parsers.ts";

export interface Input<Value> {
  /** Name in error messages, such as `--from` or `<id>`; undefined for fixed values and groups of options. */
  readonly name: string | undefined;
  readonly add: (command: Command) => void;
  readonly read: (command: Command) => Value;
}

/** Values of inputs by name. */
export type Given<Inputs> = {
  readonly [Name in keyof Inputs]: Inputs[Name] extends Input<infer Value> ? Value : never;
};

export type RequestInputs<Request extends DescMessage> = {
  readonly [Field in keyof MessageInitShape<Request>]?: Input<MessageInitShape<Request>[Field]>;
};

type Parse<Value> = (text: string) => Value;

/** Declares an argument: `<name>`, or `[name]` if optional. */
export function argument<Value>(name: string, description: string, parse: Parse<Value>): Input<Value> {
  return ofArgument(new Argument(name, description).argParser(parse));
}

/** Declares an argument that may be left out: `[name]`. */
export function optionalArgument<Value>(
  name: string,
  description: string,
  parse: Parse<Value>,
): Input<Value | undefined> {
  return ofArgument(new Argument(name, description).argParser(parse));
}

/** Declares an argument with a default. */
export function argumentOr(name: string, description: string, otherwise: string): Input<string> {
  return ofArgument(new Argument(name, description).default(otherwise));
}

function ofArgument<Value>(declared: Argument): Input<Value> {
  return {
    name: `<${declared.name()}>`,
    add: (command) => void command.addArgument(declared),
    // Commander stores the parsed value without its type.
    read: (command) => command.processedArgs[command.registeredArguments.indexOf(declared)] as Value,
  };
}

/** Declares an optional option: `--flag <value>`. @param other option that excludes this option */
export function option<Value = string>(
  flags: string,
  description: string,
  parse?: Parse<Value>,
  other?: string,
): Input<Value | undefined> {
  const declared = parsing(new Option(flags, description), parse);
  return inputOf(other === undefined ? declared : declared.conflicts(other));
}

/** Declares an option with a default. */
export function optionOr<Value>(
  flags: string,
  description: string,
  parse: Parse<Value>,
  otherwise: Value,
): Input<Value> {
  return inputOf(parsing(new Option(flags, description), parse).default(otherwise));
}

export function required<Value>(flags: string, description: string, parse: Parse<Value>): Input<Value> {
  return inputOf(parsing(new Option(flags, description), parse).makeOptionMandatory());
}

/** Declares an option without a value. */
export function flag(flags: string, description: string): Input<boolean> {
  return inputOf(new Option(flags, description).default(false));
}

/** Declares an option with a list of possible values. */
export function choice(
  flags: string,
  description: string,
  choices: readonly string[],
): Input<string | undefined> {
  return inputOf(new Option(flags, description).choices(choices));
}

/** Declares a mandatory option with a list of possible values. */
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
      .option("--after <id>", "only entries with a greater id", parseId)
      .option(
        "--limit <count>",
        `largest number of entries, 1 to ${String(mostAtOnce)}`,
        parseLimit,
        mostAtOnce,
      ),
  read: (command) => {
    const { after = 0n, limit } = command.opts<{ after?: bigint; limit: number }>();
    return { afterId: after, limit };
  },
};

/** Declares a field with a fixed value. */
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

export function addInputs(command: Command, inputs: object): void {
  for (const input of Object.values(inputs) as readonly Input<unknown>[]) input.add(command);
}

/** Returns the name of each input as typed, by request field. */
export function typedNames(inputs: object): ReadonlyMap<string, string> {
  const entries = Object.entries(inputs) as readonly (readonly [string, Input<unknown>])[];
  return new Map(entries.flatMap(([field, { name }]) => (name === undefined ? [] : [[field, name]])));
}

/** Reads the values of inputs by name, without absent values. */
export function readInputs<Inputs extends object>(command: Command, inputs: Inputs): Given<Inputs> {
  const entries = (Object.entries(inputs) as readonly (readonly [string, Input<unknown>])[]).map(
    ([name, input]) => [name, input.read(command)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Given<Inputs>;
}

export function readRequest<Request extends DescMessage>(
  command: Command,
  inputs: RequestInputs<Request>,
): MessageInitShape<Request> {
  return readInputs(command, inputs) as MessageInitShape<Request>;
}
