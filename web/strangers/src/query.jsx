import { QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";

const read = async () => (await fetch("todos")).json();

function List() {
  const client = useQueryClient();
  const { data = [] } = useQuery({ queryKey: ["todos"], queryFn: read });
  const done = useMutation({
    mutationFn: async (id) => {
      const answer = await fetch("done", { method: "POST", body: String(id) });
      if (!answer.ok) throw new Error("no");
    },
    onMutate: async (id) => {
      await client.cancelQueries({ queryKey: ["todos"] });
      const before = client.getQueryData(["todos"]);
      client.setQueryData(["todos"], (old) => old.filter((one) => one.id !== id));
      return { before };
    },
    onError: (_error, _id, kept) => client.setQueryData(["todos"], kept.before),
    onSettled: () => client.invalidateQueries({ queryKey: ["todos"] }),
  });
  return (
    <ul>
      {data.map((one) => (
        <li key={one.id}>
          {one.text} <button onClick={() => done.mutate(one.id)}>Done</button>
        </li>
      ))}
    </ul>
  );
}

const client = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false }, mutations: { retry: 0 } } });
createRoot(document.getElementById("app")).render(
  <QueryClientProvider client={client}>
    <h1>Chores</h1>
    <List />
  </QueryClientProvider>,
);
