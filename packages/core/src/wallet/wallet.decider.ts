import { addMilliseconds } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import { topUpLimits, type Cents } from "../money/money.ts";
import type { AutoTopUpStop, WalletEvent, WithdrawalReason } from "./wallet.events.ts";

/** Methods that an account may store at a time. */
export const mostStoredMethods = 10;

/** Time between two automatic top-ups of an account, in milliseconds. */
export const autoTopUpPauseMs = 86_400_000;

/** A method that the payment provider stores. */
export interface WalletMethod {
  readonly accountId: number;
  readonly methodId: number;
  readonly provider: string;
  /** The provider's id of the method. */
  readonly providerMethod: string;
  readonly kind: string;
  readonly label: string;
  readonly storedAt: string;
  /** `withdrawn`: the provider is still to remove the method. */
  readonly status: "stored" | "withdrawn" | "removed";
}

/** Terms of automatic top-ups. */
export interface AutoTopUp {
  readonly thresholdCents: Cents;
  readonly amountCents: Cents;
  readonly methodId: number;
}

/** The latest automatic top-up. */
export interface OrderedTopUp {
  readonly paymentId: number;
  readonly paymentKey: string;
  readonly methodId: number;
  readonly amountCents: Cents;
  readonly orderedAt: string;
}

/** Stored payment methods of an account, and its automatic top-up. */
export interface WalletState {
  /** By id, also withdrawn methods. */
  readonly methods: ReadonlyMap<number, WalletMethod>;
  /** Undefined if off. */
  readonly autoTopUp: (AutoTopUp & { readonly setAt: string }) | undefined;
  /** Why automatic top-ups stopped; undefined if the customer chose so or they are on. */
  readonly stoppedBecause: AutoTopUpStop | undefined;
  readonly lastOrder: OrderedTopUp | undefined;
  /** Automatic top-ups so far. */
  readonly orders: number;
}

/** Records a method that the provider stored. */
export type StoreMethod = Command<
  "StoreMethod",
  {
    readonly accountId: number;
    readonly methodId: number;
    readonly provider: string;
    readonly providerMethod: string;
    readonly kind: string;
    readonly label: string;
    readonly paymentId: number;
  }
>;

/** Ends the consent to a method. */
export type WithdrawMethod = Command<
  "WithdrawMethod",
  { readonly accountId: number; readonly methodId: number; readonly because: WithdrawalReason }
>;

/** Records that the provider removed a withdrawn method. */
export type RecordMethodRemoved = Command<
  "RecordMethodRemoved",
  { readonly accountId: number; readonly methodId: number }
>;

/** Turns automatic top-ups on, with terms, or off. */
export type SetAutoTopUp = Command<
  "SetAutoTopUp",
  { readonly accountId: number; readonly terms: AutoTopUp | undefined }
>;

/** Orders an automatic top-up. */
export type OrderAutoTopUp = Command<
  "OrderAutoTopUp",
  { readonly accountId: number; readonly paymentId: number; readonly installation: string }
>;

/** Stops automatic top-ups on a method that cannot pay any more. */
export type StopAutoTopUp = Command<
  "StopAutoTopUp",
  { readonly accountId: number; readonly methodId: number }
>;

export type WalletCommand =
  | StoreMethod
  | WithdrawMethod
  | RecordMethodRemoved
  | SetAutoTopUp
  | OrderAutoTopUp
  | StopAutoTopUp;

/** Rules of stored methods and automatic top-ups (stream `wallet-<account>`). */
export const wallet: Decider<WalletCommand, WalletState, WalletEvent> = {
  initialState: {
    methods: new Map(),
    autoTopUp: undefined,
    stoppedBecause: undefined,
    lastOrder: undefined,
    orders: 0,
  },
  decide,
  evolve,
};

/** Returns the methods on which payments may be ordered. */
export function storedMethods({ methods }: WalletState): readonly WalletMethod[] {
  return [...methods.values()].filter(({ status }) => status === "stored");
}

/** Returns true if the customer's consent covers payments on the method. */
export function mayCharge({ methods }: WalletState, methodId: number): boolean {
  return methods.get(methodId)?.status === "stored";
}

function decide(command: WalletCommand, state: WalletState): Decision<WalletEvent> {
  switch (command.type) {
    case "StoreMethod":
      return store(command, state);
    case "WithdrawMethod":
      return withdraw(command, state);
    case "RecordMethodRemoved": {
      const { accountId, methodId, at } = command.data;
      const status = state.methods.get(methodId)?.status;
      if (status === "removed") return accept();
      if (status !== "withdrawn") return noMethod();
      return accept({ type: "MethodRemoved", data: { accountId, methodId, removedAt: at } });
    }
    case "SetAutoTopUp":
      return setAutoTopUp(command, state);
    case "OrderAutoTopUp":
      return order(command, state);
    case "StopAutoTopUp": {
      const { accountId, methodId, at } = command.data;
      if (state.autoTopUp?.methodId !== methodId) return accept();
      return accept(stopped({ accountId, methodId, at }, "mandate-revoked"));
    }
    default:
      return assertNever(command);
  }
}

function store({ data: { at, ...stored } }: StoreMethod, { methods }: WalletState): Decision<WalletEvent> {
  // Every answer about the payment names the method again.
  const isKnown = [...methods.values()].some(
    ({ provider, providerMethod }) =>
      provider === stored.provider && providerMethod === stored.providerMethod,
  );
  return isKnown ? accept() : accept({ type: "MethodStored", data: { ...stored, storedAt: at } });
}

function withdraw(
  { data: { accountId, methodId, because, at } }: WithdrawMethod,
  { methods, autoTopUp }: WalletState,
): Decision<WalletEvent> {
  const method = methods.get(methodId);
  if (method === undefined) return noMethod();
  if (method.status !== "stored") return accept();
  const withdrawn = {
    type: "MethodWithdrawn",
    data: { accountId, methodId, because, withdrawnAt: at },
  } as const;
  if (autoTopUp?.methodId !== methodId) return accept(withdrawn);
  return accept(withdrawn, stopped({ accountId, methodId, at }, "method-withdrawn"));
}

function setAutoTopUp(
  { data: { accountId, terms, at } }: SetAutoTopUp,
  state: WalletState,
): Decision<WalletEvent> {
  const event = (isEnabled: boolean, chosen: AutoTopUp | undefined): Decision<WalletEvent> =>
    accept({
      type: "AutoTopUpSet",
      data: {
        accountId,
        isEnabled,
        thresholdCents: chosen === undefined ? null : String(chosen.thresholdCents),
        amountCents: chosen === undefined ? null : String(chosen.amountCents),
        methodId: chosen?.methodId ?? null,
        setAt: at,
      },
    });
  if (terms === undefined) {
    const isOff = state.autoTopUp === undefined && state.stoppedBecause === undefined;
    return isOff ? accept() : event(false, undefined);
  }
  const { thresholdCents, amountCents, methodId } = terms;
  const { leastCents, mostCents } = topUpLimits;
  const fieldErrors = {
    ...((thresholdCents < 0n || thresholdCents > mostCents) && {
      threshold: ["must be 0.00 to 10000.00 euros"],
    }),
    ...((amountCents < leastCents || amountCents > mostCents) && {
      amount: ["must be 1.00 to 10000.00 euros"],
    }),
    ...(!mayCharge(state, methodId) && { method: ["must be a stored payment method of the account"] }),
  };
  const wrong = Object.entries(fieldErrors).map(([field, errors]) => `${field} ${errors.join(", ")}`);
  if (wrong.length > 0) return reject("validation-failed", `${wrong.join("; ")}.`, { fieldErrors });
  const same = state.autoTopUp;
  const isSame =
    same?.thresholdCents === thresholdCents && same.amountCents === amountCents && same.methodId === methodId;
  return isSame ? accept() : event(true, terms);
}

function order(
  { data: { accountId, paymentId, installation, at } }: OrderAutoTopUp,
  state: WalletState,
): Decision<WalletEvent> {
  const { autoTopUp, lastOrder, orders } = state;
  if (autoTopUp === undefined) return reject("validation-failed", "Automatic top-ups are off.");
  // Another process was first.
  if (lastOrder !== undefined && at < addMilliseconds(lastOrder.orderedAt, autoTopUpPauseMs)) return accept();
  const { methodId, amountCents } = autoTopUp;
  const paymentKey = `${installation}-auto-${String(accountId)}-${String(orders + 1)}`;
  return accept({
    type: "AutoTopUpOrdered",
    data: { accountId, paymentId, paymentKey, methodId, amountCents: String(amountCents), orderedAt: at },
  });
}

function stopped(
  { at, ...about }: { readonly accountId: number; readonly methodId: number; readonly at: string },
  because: AutoTopUpStop,
): WalletEvent {
  return { type: "AutoTopUpStopped", data: { ...about, because, stoppedAt: at } };
}

function noMethod(): Decision<WalletEvent> {
  return reject("not-found", "There is no such payment method.");
}

function evolve(state: WalletState, event: WalletEvent): WalletState {
  const cannotFollow = () => new CorruptStreamError(event.type, "wallet");
  switch (event.type) {
    case "MethodStored": {
      const { paymentId: _, ...stored } = event.data;
      if (state.methods.has(stored.methodId)) throw cannotFollow();
      return withMethod(state, { ...stored, status: "stored" });
    }
    case "MethodWithdrawn":
    case "MethodRemoved": {
      const method = state.methods.get(event.data.methodId);
      const status = event.type === "MethodWithdrawn" ? "withdrawn" : "removed";
      if (method?.status !== (status === "withdrawn" ? "stored" : "withdrawn")) throw cannotFollow();
      return withMethod(state, { ...method, status });
    }
    case "AutoTopUpSet": {
      const { thresholdCents, amountCents, methodId, setAt } = event.data;
      const isOff = thresholdCents === null || amountCents === null || methodId === null;
      const autoTopUp = isOff
        ? undefined
        : { thresholdCents: BigInt(thresholdCents), amountCents: BigInt(amountCents), methodId, setAt };
      return { ...state, autoTopUp, stoppedBecause: undefined };
    }
    case "AutoTopUpOrdered": {
      const { accountId: _, amountCents, ...ordered } = event.data;
      const lastOrder = { ...ordered, amountCents: BigInt(amountCents) };
      return { ...state, lastOrder, orders: state.orders + 1 };
    }
    case "AutoTopUpStopped":
      if (state.autoTopUp === undefined) throw cannotFollow();
      return { ...state, autoTopUp: undefined, stoppedBecause: event.data.because };
    default:
      return assertNever(event);
  }
}

function withMethod(state: WalletState, method: WalletMethod): WalletState {
  return { ...state, methods: new Map([...state.methods, [method.methodId, method]]) };
}
