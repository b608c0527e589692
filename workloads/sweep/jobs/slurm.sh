#!/bin/sh
#SBATCH --job-name=hashzoo --array=0-{{.Last}} --requeue --open-mode=append
#SBATCH --output={{quote .Logs}}
{{- if .GPU}}
#SBATCH --gres=gpu:1
{{- end}}
exec {{quote .Program}} sweep task "$SLURM_ARRAY_TASK_ID/{{.Tasks}}" {{quote .Folder}}
