import { join } from "node:path";

import ts from "typescript";

/** A field of an event, where the event is defined. */
export interface DefinedField {
  /** The file, from the root. */
  readonly file: string;
  readonly event: string;
  readonly field: string;
}

/** A file that is compiled with another text than it has, or that is not there at all. */
export interface Overlay {
  readonly file: string;
  readonly text: string;
}

/** Compiles single files of the project and their imports in memory, without writing files. */
export class NarrowCompiler {
  readonly #root: string;
  readonly #options: ts.CompilerOptions;
  // Parsed files are shared by all compilations, because most are declarations of libraries.
  readonly #parsed = new Map<string, ts.SourceFile | undefined>();

  constructor(root: string) {
    this.#root = root;
    const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), (path) => ts.sys.readFile(path));
    this.#options = ts.parseJsonConfigFileContent(config, ts.sys, root).options;
  }

  /** Returns the files that do not compile. */
  failing(files: readonly string[], overlay?: Overlay): readonly string[] {
    const program = this.#program(files, overlay === undefined ? [] : [overlay]);
    return files.filter((file) => {
      const source = program.getSourceFile(join(this.#root, file));
      if (source === undefined) throw new Error(`there is no ${file}`);
      return program.getSemanticDiagnostics(source).length > 0;
    });
  }

  /** Returns a sentence for each problem of these texts. */
  problemsOf(overlays: readonly Overlay[]): readonly string[] {
    const files = overlays.map(({ file }) => file);
    const program = this.#program(files, overlays);
    return files.flatMap((file) => {
      const source = program.getSourceFile(join(this.#root, file));
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return found.map(({ start = 0, messageText }) => {
        const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line + 1;
        return `${file}:${String(line)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
      });
    });
  }

  /** The file with another name for the field. @throws Error when the event has no such field. */
  renaming({ file, event, field }: DefinedField): Overlay {
    const path = join(this.#root, file);
    const text = ts.sys.readFile(path) ?? "";
    const definition = propertyIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), event);
    const name = definition && propertyIn(definition, field)?.name;
    if (name === undefined) throw new Error(`${event} of ${file} has no ${field}`);
    return { file, text: `${text.slice(0, name.getStart())}renamed${text.slice(name.getEnd())}` };
  }

  #program(files: readonly string[], overlays: readonly Overlay[]): ts.Program {
    const paths = files.map((file) => join(this.#root, file));
    return ts.createProgram(paths, this.#options, this.#host(overlays));
  }

  #host(overlays: readonly Overlay[]): ts.CompilerHost {
    const host = ts.createCompilerHost(this.#options);
    const texts = new Map(overlays.map(({ file, text }) => [join(this.#root, file), text]));
    const { fileExists, getSourceFile, readFile } = host;
    host.fileExists = (path) => texts.has(path) || fileExists(path);
    host.readFile = (path) => texts.get(path) ?? readFile(path);
    host.getSourceFile = (path, options) => {
      if (texts.has(path)) return getSourceFile(path, options);
      if (!this.#parsed.has(path)) this.#parsed.set(path, getSourceFile(path, options));
      return this.#parsed.get(path);
    };
    return host;
  }
}

function propertyIn(node: ts.Node, name: string): ts.PropertyAssignment | undefined {
  if (ts.isPropertyAssignment(node) && node.name.getText() === name) return node;
  return ts.forEachChild(node, (child) => propertyIn(child, name));
}
