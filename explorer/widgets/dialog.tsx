// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A box above the page: the browser's own dialog, which keeps the keyboard inside and closes on Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "@/widgets/css/dialog.css";

interface DialogProps {
  label: string;
  className?: string;
  onClose(): void;
  children: ComponentChildren;
}

export function Dialog({ label, className = "", onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    const before = document.activeElement as HTMLElement | null;
    dialog?.showModal();
    return () => {
      dialog?.close();
      before?.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {children}
    </dialog>
  );
}
