import ElementPlus, { ElMessage, ElNotification } from "element-plus";
import "element-plus/dist/index.css";
import { createApp, ref } from "vue/dist/vue.esm-bundler.js";

createApp({
  setup() {
    const kind = ref(""), on = ref(false), count = ref(1), seen = ref("");
    const save = async () => {
      const answer = await (await fetch("save", { method: "POST", body: kind.value })).json();
      if (answer.code === 200) ElMessage.success("Saved");
      else ElMessage({ message: answer.msg, type: "warning" });
    };
    const guard = async () => {
      const answer = await (await fetch("switch", { method: "POST" })).json();
      if (!answer.allowed) ElNotification({ title: "Not available", message: "Ask your administrator" });
      return answer.allowed;
    };
    window.model = { kind, on, count };
    return { kind, on, count, seen, save, guard };
  },
  template: `<el-form label-width="100px" style="width:420px">
    <el-form-item label="Kind"><el-select v-model="kind" aria-label="Kind" placeholder="Select"><el-option label="Report" value="r"/><el-option label="Letter" value="l"/></el-select></el-form-item>
    <el-form-item label="Public"><el-switch v-model="on" aria-label="Public" :before-change="guard"/></el-form-item>
    <el-form-item label="Copies"><el-input-number v-model="count" :min="1" :max="5" aria-label="Copies"/></el-form-item>
    <el-button type="primary" @click="save">Save</el-button></el-form>`,
}).use(ElementPlus).mount("#app");
