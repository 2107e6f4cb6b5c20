import type { DomainEvent } from "../../kernel/decider.ts";
import type { PaidOrderAction, PaidOrderInput } from "./paid-order.inputs.ts";
import type { PaidOrder } from "./paid-order.ts";

/** A process with one history for each state and one example of every input. */
export interface Tabled<Subject, Held, Event extends DomainEvent> {
  readonly process: PaidOrder<Subject, Held, Event>;
  readonly histories: Readonly<Record<string, readonly Event[]>>;
  readonly inputs: Readonly<Record<string, PaidOrderInput<Subject, Held>>>;
}

/**
 * Prints for every input in every state: the added events, the next state, the next action, the inputs without effect,
 * and the answer to the caller.
 */
export function printTable<Subject, Held, Event extends DomainEvent>(
  title: string,
  { process, histories, inputs }: Tabled<Subject, Held, Event>,
): string {
  const rows = [["State", "Does", "Input", "Facts", "Then"]];
  const answers = [["State", "The caller is told", "Told when the state is suspended"]];
  for (const [status, history] of Object.entries(histories)) {
    const state = history.reduce(process.evolve, process.initialState);
    if (state.status !== status) throw new Error(`the history of ${status} leads to ${state.status}`);
    const ignored: string[] = [];
    let shown = [status, wordsFor(process.nextAction(state, "2026-03-01T10:00:00.000000Z"))];
    for (const [name, input] of Object.entries(inputs)) {
      const added = process.decide(input, state);
      const next = added.reduce(process.evolve, state);
      if (added.length === 0) ignored.push(name);
      else {
        rows.push([...shown, name, added.map(({ type }) => type).join(", "), next.status]);
        shown = ["", ""];
      }
    }
    rows.push([...shown, ignored.length === Object.keys(inputs).length ? "any" : ignored.join(", "), "", ""]);
    const suspending = process.decide({ type: "failed", reason: "Down", at: "" }, state);
    const suspended = suspending.reduce(process.evolve, state);
    answers.push([
      status,
      process.answer(state)?.kind ?? "",
      suspending.length === 0 ? "" : (process.answer(suspended)?.kind ?? ""),
    ]);
  }
  return `# ${title}\n\n${table(rows)}\n\n${table(answers)}\n`;
}

function wordsFor<Held>(action: PaidOrderAction<Held>): string {
  switch (action.kind) {
    case "call":
      return `${action.isFirst ? "first call" : "call"} ${action.request.type}`;
    case "send":
    case "compensate": {
      const { command } = action;
      if (command.to !== "account") return `${action.kind} ${command.command.type}`;
      return `${action.kind} ${"charge" in command ? "charge" : "refund"}`;
    }
    case "suspend":
    case "complete":
      return action.kind;
  }
}

/** Formats a table like the formatter, with columns of equal width. */
function table([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[], fill: string): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width, fill)).join(" | ")} |`;
  return [line(heading, " "), line([], "-"), ...rows.map((row) => line(row, " "))].join("\n");
}
