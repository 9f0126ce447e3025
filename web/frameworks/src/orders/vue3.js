import { createApp, reactive } from "vue3/dist/vue.esm-bundler.js";
import { actions, EMPTY } from "./_orders.js";

createApp({
  setup() {
    const state = reactive({ ...EMPTY });
    window.model = () => JSON.parse(JSON.stringify(state));
    return { state, ...actions(() => state, (change) => Object.assign(state, change)) };
  },
  methods: {
    put(field, event) {
      this.type(field, event.target.value);
      event.target.value = this.state[field];
    },
  },
  template: `<main>
    <form @submit.prevent="save" novalidate>
      <label>Title <input :value="state.title" :aria-invalid="state.error ? true : null" @input="put('title', $event)"></label>
      <p v-if="state.error" class="field-error">{{ state.error }}</p>
      <label>Phone <input :value="state.phone" @input="put('phone', $event)"></label>
      <label>Amount <input :value="state.amount" @input="put('amount', $event)"></label>
      <label :key="state.round"><input type="checkbox" :checked="state.paid" @change="pay($event.target.checked)"> Paid</label>
      <button>Save</button>
    </form>
    <ul><li v-for="row in state.rows" :key="row.id">{{ row.title }} <button @click="remove(row.id)">Delete</button></li></ul>
    <Transition><div v-if="state.said" role="status" class="toast">{{ state.said }}</div></Transition>
  </main>`,
}).mount("#root");
