import type { WalletEvent } from "./wallet.events.ts";

/** Examples of the events of the wallet of account 7, for specs. */

export const walletAt = "2026-03-01T10:00:00.000000Z";

const ids = { accountId: 7, methodId: 3 };

type Of<Type extends WalletEvent["type"]> = Extract<WalletEvent, { readonly type: Type }>;

export function methodStored(change: Partial<Of<"MethodStored">["data"]> = {}): Of<"MethodStored"> {
  return {
    type: "MethodStored",
    data: {
      ...ids,
      provider: "sandbox",
      providerMethod: "method-1",
      kind: "card",
      label: "Visa …4242",
      paymentId: 12,
      storedAt: walletAt,
      ...change,
    },
  };
}

export function methodWithdrawn(
  because: Of<"MethodWithdrawn">["data"]["because"] = "asked",
): Of<"MethodWithdrawn"> {
  return { type: "MethodWithdrawn", data: { ...ids, because, withdrawnAt: walletAt } };
}

export function methodRemoved(): Of<"MethodRemoved"> {
  return { type: "MethodRemoved", data: { ...ids, removedAt: walletAt } };
}

export function autoTopUpSet(change: Partial<Of<"AutoTopUpSet">["data"]> = {}): Of<"AutoTopUpSet"> {
  return {
    type: "AutoTopUpSet",
    data: {
      ...ids,
      isEnabled: true,
      thresholdCents: "1000",
      amountCents: "5000",
      setAt: walletAt,
      ...change,
    },
  };
}

export function autoTopUpOff(): Of<"AutoTopUpSet"> {
  return autoTopUpSet({ isEnabled: false, thresholdCents: null, amountCents: null, methodId: null });
}

export function autoTopUpOrdered(
  change: Partial<Of<"AutoTopUpOrdered">["data"]> = {},
): Of<"AutoTopUpOrdered"> {
  return {
    type: "AutoTopUpOrdered",
    data: {
      ...ids,
      paymentId: 13,
      paymentKey: "k3x7m2-auto-7-1",
      amountCents: "5000",
      orderedAt: walletAt,
      ...change,
    },
  };
}

export function autoTopUpStopped(
  because: Of<"AutoTopUpStopped">["data"]["because"] = "mandate-revoked",
): Of<"AutoTopUpStopped"> {
  return { type: "AutoTopUpStopped", data: { ...ids, because, stoppedAt: walletAt } };
}
