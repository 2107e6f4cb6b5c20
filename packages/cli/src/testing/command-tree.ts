import type { Command } from "commander";
import { createProgram } from "../program.ts";
import { capturedIo } from "./captured-io.ts";

/** A command and the names that lead to it. */
export interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Every command and group of the program, the program itself first. */
export function allCommands(): readonly NamedCommand[] {
  const context = {
    io: capturedIo(),
    loadSystem: (): never => {
      throw new Error("Nothing runs here.");
    },
  };
  return below({ path: [], command: createProgram(context) });
}

/** Every command that does something, groups left out. */
export function leafCommands(): readonly NamedCommand[] {
  return allCommands().filter(({ command }) => command.commands.length === 0);
}

function below(named: NamedCommand): NamedCommand[] {
  const children = named.command.commands.map((command) => ({
    path: [...named.path, command.name()],
    command,
  }));
  return [named, ...children.flatMap(below)];
}
