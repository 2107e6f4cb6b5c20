/** Rejections of charges and payments. */
export const moneyRejections = {
  "insufficient-balance": {
    sentence: "The account balance does not cover the gross price.",
    clientAction: "Top up the balance by at least `required` − `available` and try again.",
  },
  "payment-refused": {
    sentence: "The payment provider refused the payment. No money moved.",
    clientAction: "Read `failure` in `GET /billing/topups`, and pay by another method or another card.",
  },
  "payment-unavailable": {
    sentence: "The payment provider could not be reached.",
    clientAction: "Read `GET /billing/topups` first: the payment may go on. Then try again.",
  },
  "charge-conflict": {
    sentence: "The charge was already made with another amount.",
    clientAction: "Use a new charge id for another charge.",
  },
  "reference-conflict": {
    sentence: "Another payment or correction has this reference, on another account or with another amount.",
    clientAction: "Use the reference of this payment or correction.",
  },
  "charge-not-found": {
    sentence: "There is no such charge.",
    clientAction: "Name a charge of this account.",
  },
} as const;
