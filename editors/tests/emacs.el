;; A real client: Emacs with eglot, set up as docs/editors.md says: CHIARO=path emacs --batch -l emacs.el FOLDER
;; Each step says what it wants; the first that fails ends the run with an error.

(package-initialize)
(require 'eglot)
(setq eglot-autoshutdown nil)

(defvar command (or (getenv "CHIARO") "chiaro"))
(defvar folder (or (pop command-line-args-left) default-directory))

;; The package glsl-mode is not needed to see that the server is asked for its language.
(unless (fboundp 'glsl-mode) (define-derived-mode glsl-mode prog-mode "GLSL"))
(add-to-list 'auto-mode-alist '("\\.frag\\'" . glsl-mode))
(define-derived-mode pica200-mode prog-mode "PICA200" (setq-local comment-start ";"))
(add-to-list 'auto-mode-alist '("\\.pica\\'" . pica200-mode))
(add-to-list 'eglot-server-programs `((glsl-mode (pica200-mode :language-id "pica200")) ,command "lsp"))

(defun check (what ok)
  (unless ok (error "FAILED: %s" what))
  (message "ok: %s" what))

(defun hovered (at)
  (goto-char (point-min))
  (search-forward at)
  (backward-char 1)
  (format "%S" (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))

(defun opened (name text message at explained)
  "Opens a file with a mistake: the message has to come, and what is hovered has to be explained."
  (let ((path (expand-file-name name folder)) (until (+ (float-time) 20)))
    (with-temp-file path (insert text))
    (with-current-buffer (find-file-noselect path)
      (apply #'eglot (eglot--guess-contact))
      (check (format "the server knows %s" name) (eglot-current-server))
      (while (and (< (float-time) until) (not (flymake-diagnostics)))
        (accept-process-output nil 0.1)
        (flymake-start))
      (check message (string-match-p message (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "\n")))
      (check explained (string-match-p explained (hovered at))))))

(opened "first.frag" "#version 300 es\nprecision highp float;\nout vec4 shown;\nvoid main() {\n    shown = vec4(1.0) * tint;\n}\n"
        "`tint` is not declared" "main" "void main")
(opened "first.v.pica" ".in p\n.out q position\n.proc main\nmov q, p\nmvo q, p\nend\n.end\n"
        "no instruction is called `mvo`" "mov" "mov dst, src1")
