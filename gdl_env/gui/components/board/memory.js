// What a visitor has chosen for all tables, kept in the browser.
export const recall = (name) => localStorage.getItem(`gdl-${name}`) || "";
export const remember = (name, value) => localStorage.setItem(`gdl-${name}`, value);
