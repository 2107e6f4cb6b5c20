import type { Command } from "commander";
import { createProgram } from "../program.ts";
import { capturedIo } from "./captured-io.ts";

export interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Replaces the system if commands are only inspected. */
export function nothing(): never {
  throw new Error("Nothing runs here.");
}

export async function allCommands(): Promise<readonly NamedCommand[]> {
  const context = { io: capturedIo(), loadSystem: nothing };
  return below({ path: [], command: await createProgram(context) });
}

export async function leafCommands(): Promise<readonly NamedCommand[]> {
  return (await allCommands()).filter(({ command }) => command.commands.length === 0);
}

function below(named: NamedCommand): NamedCommand[] {
  const children = named.command.commands.map((command) => ({
    path: [...named.path, command.name()],
    command,
  }));
  return [named, ...children.flatMap(below)];
}
