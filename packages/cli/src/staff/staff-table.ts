import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { StaffClient } from "@hostledger/rpc";
import type { Command } from "commander";

import type { CommandContext } from "../command-context.ts";
import { documentOf, type Document, type Names } from "../output/message-document.ts";
import { changed, type Answer } from "../output/reply.ts";
import {
  addInputs,
  readInputs,
  readRequest,
  typedNames,
  type Given,
  type Input,
  type RequestInputs,
} from "./command-line.codec.ts";
import { answerFromStaff } from "./staff-command.ts";

export type CommandRow = (noun: Command, context: CommandContext) => void;

/** Creates a noun of staff commands, such as `admin key`. */
export function noun(name: string, description: string, rows: readonly CommandRow[]): CommandRow {
  return (group, context) => {
    const added = group.command(name).description(description);
    for (const addRow of rows) addRow(added, context);
  };
}

interface CallRow<Request extends DescMessage, Response extends DescMessage> {
  /** Arguments and options by request field. */
  readonly inputs?: RequestInputs<Request>;
  /** Keys of `--json` that differ from the response's names. */
  readonly names?: Names<Response>;
  /** Makes the document for `--json`; default: the whole response. */
  readonly document?: (response: MessageShape<Response>, request: MessageInitShape<Request>) => Document;
  /** Makes the text; a note that nothing had to be done is added before it. */
  readonly text?: (response: MessageShape<Response>, request: MessageInitShape<Request>) => string;
  /** Makes the whole answer instead of `names`, `document` and `text`. */
  readonly answer?: (response: MessageShape<Response>, request: MessageInitShape<Request>) => Answer;
  /** Throws `wrongUsage` if inputs contradict each other. */
  readonly refuse?: (request: MessageInitShape<Request>) => void;
}

/** Creates a command with one call, from the method's descriptor. @param called name and description */
export function call<Request extends DescMessage, Response extends DescMessage>(
  called: readonly [name: string, description: string],
  method: DescMethodUnary<Request, Response>,
  { inputs = {}, names, document, text, answer, refuse }: CallRow<Request, Response>,
): CommandRow {
  return row(called, inputs, {
    read: (command) => readRequest(command, inputs),
    refuse,
    async ask(staff, request) {
      const response = await staff.call(method, request);
      if (answer !== undefined) return answer(response, request);
      const given = {
        document: document?.(response, request) ?? documentOf(method.output, response, names),
        text: text?.(response, request) ?? "",
      };
      return "repeated" in response ? changed(response.repeated === true, given) : given;
    },
  });
}

/** Context of a command with several calls. */
export interface Asked extends CommandContext {
  readonly command: Command;
}

/** Creates a command with several calls or a special answer. @param refuse throws `wrongUsage` */
export function custom<Inputs extends Readonly<Record<string, Input<unknown>>>>(
  called: readonly [name: string, description: string],
  inputs: Inputs,
  ask: (staff: StaffClient, given: Given<Inputs>, from: Asked) => Promise<Answer>,
  refuse?: (given: Given<Inputs>) => void,
): CommandRow {
  return row(called, inputs, { read: (command) => readInputs(command, inputs), refuse, ask });
}

interface Row<Given> {
  readonly read: (command: Command) => Given;
  readonly refuse: ((given: Given) => void) | undefined;
  readonly ask: (staff: StaffClient, given: Given, from: Asked) => Promise<Answer>;
}

function row<Given>(
  [name, description]: readonly [name: string, description: string],
  inputs: object,
  { read, refuse, ask }: Row<Given>,
): CommandRow {
  return (added, context) => {
    const command = added.command(name).description(description);
    addInputs(command, inputs);
    command.action(async () => {
      const given = read(command);
      refuse?.(given);
      const asking = (staff: StaffClient) => ask(staff, given, { ...context, command });
      await answerFromStaff(context, command, asking, typedNames(inputs));
    });
  };
}
