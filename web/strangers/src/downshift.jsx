import { useCombobox } from "downshift";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const ALL = ["Apple", "Apricot", "Banana", "Cherry"];

function Picker() {
  const [items, setItems] = useState(ALL);
  const [taken, setTaken] = useState("");
  const box = useCombobox({
    items,
    onInputValueChange: ({ inputValue }) => setItems(ALL.filter((one) => one.toLowerCase().startsWith(inputValue.toLowerCase()))),
    onSelectedItemChange: ({ selectedItem }) => setTaken(selectedItem),
  });
  return (
    <div>
      <label {...box.getLabelProps()}>Fruit</label>
      <input {...box.getInputProps()} />
      <ul {...box.getMenuProps()}>
        {box.isOpen && items.map((one, index) => <li key={one} {...box.getItemProps({ item: one, index })}>{one}</li>)}
      </ul>
      <p id="taken">{taken}</p>
    </div>
  );
}
createRoot(document.getElementById("app")).render(<Picker />);
