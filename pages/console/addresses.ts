export const decisionHash = (id: string): string => `#/decisions/${id}`;

export const reportHash = (id: string): string => `#/report/${encodeURIComponent(id)}`;

export const groupHash = (key: string): string => `#/person/${encodeURIComponent(key)}`;
