import { createHash } from "node:crypto";

import { codecOfCategory, mendingAggregate, staffTickets, ticketAggregate } from "@hostledger/core";
import {
  createCommandHandler,
  readableEvent,
  requestStaffTicket,
  ticketCauseAggregate,
  unlessUnreadable,
  type CommandContext,
  type CommandHandler,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/store";
import { unreadableCauseOf, type Projector, type StoppedStream } from "@hostledger/read";
import type { Clock, Logger } from "@hostledger/runtime";

/** A stream that stopped in some read models. */
export interface ListedStop extends Omit<StoppedStream, "isReadable" | "accountId"> {
  /** Names such as `service.name`. */
  readonly readModels: readonly string[];
}

/** The services of a process by name, as far as streams may have stopped in their read models. */
export type StoppingServices = Readonly<
  Record<string, { readonly projector: Pick<Projector, "stopped" | "stoppedAtStart"> }>
>;

/** Member of staff and reason of a mend. */
export interface MendingWord {
  readonly reason: string;
  readonly context: Omit<CommandContext, "commandId">;
}

/** Streams that stopped in this process before an unreadable event. */
export interface StoppedStreams {
  /** Returns the streams that stopped in this process's read models, in the order of the log. */
  list(): readonly ListedStop[];
  /**
   * Makes all readers pass over an unreadable event, by an event of its own, and closes its ticket. Repeating
   * changes nothing.
   * @returns the event; undefined if there is no such event, or it can be read and stops nothing.
   * @throws Every error of the store.
   */
  mend(stream: string, revision: bigint, word: MendingWord): Promise<RecordedEvent | undefined>;
  /** Opens tickets about streams that stopped, and closes them where the streams went on, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface StoppedStreamsOptions {
  /** The store as it lies there. */
  readonly store: EventStore;
  readonly services: StoppingServices;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "error" | "warn">;
}

/** Interval between checks of the read models, in milliseconds. */
const intervalMs = 500;

/** Time for which an older process waits for its upgrade before a ticket is opened, in milliseconds. */
const upgradeMs = 3_600_000;

/** Maximum tickets of one process: these show what damaged so many streams. */
const ticketLimit = 100;

export function createStoppedStreams(options: StoppedStreamsOptions): StoppedStreams {
  return new ListedStreams(options);
}

class ListedStreams implements StoppedStreams {
  readonly #options: StoppedStreamsOptions;
  readonly #ticketed = new Set<string>();
  /** Causes of streams that stopped in this process or were mended by staff, until their tickets are closed. */
  readonly #seen = new Set<string>();

  constructor(options: StoppedStreamsOptions) {
    this.#options = options;
  }

  list(): readonly ListedStop[] {
    const listed = new Map<string, ListedStop>();
    for (const [service, { projector }] of Object.entries(this.#options.services))
      for (const {
        projection,
        isReadable: _isReadable,
        accountId: _accountId,
        ...stop
      } of projector.stopped()) {
        const key = `${String(stop.position)} ${stop.stream}`;
        const readModels = [...(listed.get(key)?.readModels ?? []), `${service}.${projection}`];
        listed.set(key, { ...stop, readModels });
      }
    return [...listed.values()].toSorted((one, other) => (one.position < other.position ? -1 : 1));
  }

  async mend(
    stream: string,
    revision: bigint,
    { reason, context }: MendingWord,
  ): Promise<RecordedEvent | undefined> {
    const { store, clock } = this.#options;
    const isListed = this.list().some((stop) => stop.stream === stream && stop.revision === revision);
    for await (const event of store.read(stream, { from: revision, limit: 1 })) {
      if (event.revision !== revision) return undefined;
      if (!isListed && (await unreadableCauseOf(store, event, codecOfCategory)) === undefined)
        return undefined;
      const data = {
        stream,
        revision: Number(revision),
        eventId: event.id,
        eventType: event.type.slice(0, longestType),
        reason,
        at: clock.now(),
      };
      const command = { type: "MendStream", data } as const;
      const sent = { ...context, commandId: `mend/${event.id}` };
      const mended = await this.#commands().execute(mendingAggregate, stream, command, sent);
      if (!mended.accepted) throw new Error(mended.rejection.message);
      await this.#closeTicket(causeOfStop({ stream, revision }), sent);
      return event;
    }
    return undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#rememberMended(signal);
    while (!signal.aborted) {
      const stops = this.list();
      for (const stop of stops) if (this.#isDue(stop)) await this.#report(stop);
      await this.#closeEnded(new Set(stops.map(causeOfStop)));
      await this.#options.clock.sleep(intervalMs, signal);
    }
  }

  /**
   * Reads the streams that staff mended, because the process that accepted a mend may have ended before it closed
   * the ticket. A closed ticket is not changed.
   */
  async #rememberMended(signal: AbortSignal): Promise<void> {
    const answers = this.#options.store.subscribe({ from: "start", streamPrefixes: [mendingPrefix], signal });
    for await (const { events, caughtUp } of answers) {
      for (const recorded of events) {
        const answer = readableEvent(mendingAggregate.codec, recorded)?.event.data;
        if (answer !== undefined)
          this.#seen.add(causeOfStop({ stream: answer.stream, revision: BigInt(answer.revision) }));
      }
      if (caughtUp) return;
    }
  }

  /** Another handler each time: the support service writes to the streams of tickets, too. */
  #commands(): CommandHandler {
    return createCommandHandler({ store: this.#options.store, recordedBy: "stopped-streams" });
  }

  /** Damage is reported at once; an older process resumes by itself after its upgrade. */
  #isDue(stop: ListedStop): boolean {
    if (this.#ticketed.has(causeOfStop(stop)) || this.#ticketed.size >= ticketLimit) return false;
    const ageMs = this.#options.clock.epochMilliseconds() - Date.parse(stop.since);
    return stop.kind === "damaged" || ageMs >= upgradeMs;
  }

  async #report(stop: ListedStop): Promise<void> {
    const { clock, logger } = this.#options;
    const cause = causeOfStop(stop);
    const ticket = staffTickets.streamStopped({ ...stop, cause });
    // If this cause's own stream is damaged, tickets about other streams are still opened.
    await unlessUnreadable(
      () => requestStaffTicket({ commands: this.#commands(), clock }, ticket, "stopped-streams"),
      (error) => {
        logger.error(
          { stream: stop.stream, error },
          "no ticket can be asked for about a stream that stopped",
        );
      },
    );
    this.#ticketed.add(cause);
    if (this.#ticketed.size === ticketLimit)
      logger.warn({ tickets: ticketLimit }, "more streams have stopped than tickets are opened for");
  }

  /** Closes tickets about streams that went on: staff had the event passed over, or this version can read it. */
  async #closeEnded(stopped: ReadonlySet<string>): Promise<void> {
    for (const { projector } of Object.values(this.#options.services))
      for (const stop of projector.stoppedAtStart) this.#seen.add(causeOfStop(stop));
    for (const cause of stopped) this.#seen.add(cause);
    for (const cause of this.#seen)
      if (!stopped.has(cause)) {
        const context = {
          commandId: `ended/${cause}`,
          correlationId: cause,
          actor: "process:stopped-streams",
        };
        if (await this.#closeTicket(cause, context)) this.#seen.delete(cause);
      }
  }

  /** @returns false for a ticket that is asked for and not open yet. One that cannot be closed stays open. */
  async #closeTicket(cause: string, context: CommandContext): Promise<boolean> {
    const { clock, logger } = this.#options;
    const commands = this.#commands();
    const close = async (): Promise<boolean> => {
      const { state } = await commands.load(ticketCauseAggregate, cause);
      if (state.status !== "numbered") return state.status === "unnumbered";
      const { ticketId } = state;
      const data = { ticketId, by: "staff", closeId: context.commandId, at: clock.now() } as const;
      const closed = await commands.execute(
        ticketAggregate,
        String(ticketId),
        { type: "CloseTicket", data },
        { ...context, commandId: `${context.commandId}/CloseTicket` },
      );
      return closed.accepted || closed.rejection.code !== "not-found";
    };
    return unlessUnreadable(close, (error) => {
      logger.warn({ cause, error }, "the ticket about a stream that goes on could not be closed");
      return true;
    });
  }
}

/** Prefix of the streams with the staff's mends. */
const mendingPrefix = `${mendingAggregate.category}-`;

/** Characters of a type that an event keeps. */
const longestType = 200;

/** Cause of the ticket about a stream; it becomes part of a stream's name. */
function causeOfStop({ stream, revision }: Pick<ListedStop, "stream" | "revision">): string {
  const name = stream.length <= longestName ? stream : createHash("sha256").update(stream).digest("hex");
  return `stopped-${name}-${String(revision)}`;
}

/** Characters of a stream's name that a cause repeats. */
const longestName = 200;
