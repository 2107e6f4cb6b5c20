import type { Command } from "commander";
import { createProgram } from "../program.ts";
import { capturedIo } from "./captured-io.ts";

/** A command and the names that lead to it. */
export interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** In the place of the system, where commands are only looked at. */
export function nothing(): never {
  throw new Error("Nothing runs here.");
}

/** Every command and group of the program, the program itself first. */
export async function allCommands(): Promise<readonly NamedCommand[]> {
  const context = { io: capturedIo(), loadSystem: nothing };
  return below({ path: [], command: await createProgram(context) });
}

/** Every command that does something, groups left out. */
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
