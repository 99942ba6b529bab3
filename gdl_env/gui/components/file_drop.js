// A place for files: dropped there, or chosen. They are read as text in the browser.
export default {
  props: { label: String, types: String, most: Number },
  template: `
    <label class="gt-drop">
      <span aria-hidden="true">⇩</span> {{ label }}
      <input type="file" multiple :accept="types" :aria-label="label">
    </label>`,
  mounted() {
    const input = this.$el.querySelector("input");
    input.addEventListener("change", () => {
      this.read([...input.files]);
      // The same file may be chosen again after a change.
      input.value = "";
    });
    for (const name of ["dragenter", "dragover"]) this.$el.addEventListener(name, (e) => {
      e.preventDefault();
      this.$el.classList.add("is-over");
    });
    for (const name of ["dragleave", "drop"]) this.$el.addEventListener(name, () => this.$el.classList.remove("is-over"));
    this.$el.addEventListener("drop", (e) => {
      e.preventDefault();
      this.read([...e.dataTransfer.files]);
    });
  },
  methods: {
    async read(files) {
      if (!files.length) return;
      if (files.length > 2 || files.some((file) => file.size > this.most)) return this.$emit("refused");
      const found = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
      this.$emit("taken", found);
    },
  },
};
