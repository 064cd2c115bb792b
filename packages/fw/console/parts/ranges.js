/** The time ranges to choose from, in minutes. */
export const ranges = { 5: "5 minutes", 30: "30 minutes", 120: "2 hours" };
