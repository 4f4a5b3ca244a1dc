export function checkDocumented() { return { result: '', problems: [] } }
