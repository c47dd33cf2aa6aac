// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Category and call names as the producers write them today, read in public trace files and in the open sources of PyTorch,
// Kineto and the vendors' plug-ins. A later section wins where two declare one name.
#include "trace/schema/producers_builtin.h"

namespace lanewise::trace::schema {

std::string_view builtin_producers_text() {
  return R"table(
producer pytorch
  device cuda CUDA
  category cpu_op cpu_op
  category user_annotation annotation
  category python_function python
  category cpu_instant_event instant
  category overhead overhead
  category Trace span
  category fwdbwd autograd_flow
  category ac2g launch_flow
  category async_cpu_to_gpu launch_flow
  category async_gpu launch_flow
  category gpu_user_annotation device_annotation
  category kernel kernel
  category concurrent_kernel kernel
  category gpu_memcpy memcpy
  category gpu_memset memset
  category collective_comm other
  category external_correlation other

  collective *nccl*
  collective *NCCL*
  collective *rccl*
  collective *RCCL*
  collective *hccl*
  collective *oneccl*
  collective *mscclpp*
  collective *hcom_*
  collective *cross_device_reduce*

producer kineto_2021
  device cuda CUDA
  category Operator cpu_op
  category Runtime runtime
  category Kernel kernel
  category Memcpy memcpy
  category Memset memset
  category async launch_flow

producer cuda
  device cuda CUDA
  device_call cuda cuda*
  category cuda_runtime runtime
  category cuda_driver runtime
  category cuda_sync sync
  category cuda_event wait
  category cuda_profiler_range span
  category graph_event_node wait
  call launch cudaLaunchKernel*
  call launch cudaLaunchCooperativeKernel*
  call launch cuLaunchKernel*
  call launch cuLaunchCooperativeKernel*
  call graph_launch cudaGraphLaunch*
  call graph_launch cuGraphLaunch*
  call copy cudaMemcpy*
  call copy cuMemcpy*
  call fill cudaMemset*
  call fill cuMemset*
  call sync cudaDeviceSynchronize*
  call sync cudaStreamSynchronize*
  call sync cudaEventSynchronize*
  call sync cuCtxSynchronize*
  call sync cuStreamSynchronize*
  call sync cuEventSynchronize*
  call wait cudaStreamWaitEvent*
  call wait cuStreamWaitEvent*
  call record cudaEventRecord*
  call record cuEventRecord*
  call allocate cudaMalloc*
  call allocate cudaHostAlloc*
  call allocate cuMemAlloc*
  call allocate cuMemCreate*
  call release cudaFree*
  call release cuMemFree*
  call release cuMemRelease*

producer rocm
  device cuda CUDA
  device_call cuda hip*
  category hip_runtime runtime
  category hip_driver runtime
  category rocm_runtime runtime
  call launch hipLaunchKernel*
  call launch hipExtLaunchKernel*
  call launch hipLaunchCooperativeKernel*
  call launch hipModuleLaunchKernel*
  call launch hipExtModuleLaunchKernel*
  call launch hipHccModuleLaunchKernel*
  call graph_launch hipGraphLaunch*
  call copy hipMemcpy*
  call fill hipMemset*
  call sync hipDeviceSynchronize*
  call sync hipStreamSynchronize*
  call sync hipEventSynchronize*
  call wait hipStreamWaitEvent*
  call record hipEventRecord*
  call allocate hipMalloc*
  call allocate hipExtMalloc*
  call allocate hipHostMalloc*
  call release hipFree*
  call release hipHostFree*

producer xpu
  device xpu XPU
  device_call xpu urEnqueue*
  device_call xpu zeCommand*
  category xpu_runtime runtime
  category xpu_driver runtime
  call launch urEnqueueKernelLaunch*
  call launch zeCommandListAppendLaunchKernel*
  call launch zeCommandListAppendLaunchCooperativeKernel*
  call copy urEnqueueUSMMemcpy*
  call copy urEnqueueMemBuffer*
  call copy zeCommandListAppendMemoryCopy*
  call fill urEnqueueUSMFill*
  call fill zeCommandListAppendMemoryFill*
  call sync urQueueFinish*
  call sync urEventWait*
  call sync zeCommandQueueSynchronize*
  call sync zeEventHostSynchronize*
  call allocate urUSM*Alloc*
  call release urUSMFree*

producer mtia
  device mtia MTIA
  category mtia_runtime runtime
  category mtia_ccp_events kernel
  named mtia_ccp_events event_wait device_wait
  category mtia_insight other
  call launch runFunction*
  call launch mtiaLaunch*
  call record recordEvent*
  call copy *memcpyHtoDAsync*
  call copy *memcpyDtoHAsync*
  call copy mtiaMemcpy*
  call wait *waitOnEvent*
  call sync *ynchronize*
  lane tid

producer ascend
  device npu PrivateUse1
  device_call npu aclrt*
  device_call npu AscendCL@*
  device_call npu Node@*
  category npu_runtime runtime
  category npu_driver runtime
  category npu_kernel kernel
  category npu_memcpy memcpy
  category async_npu launch_flow
  category async_task_queue launch_flow
  category HostToDevice launch_flow
  category enqueue runtime
  category dequeue runtime
  call launch aclrtLaunchKernel*
  call launch aclopExecute*
  call launch launch
  call launch rtKernelLaunch*
  call launch AscendCL@aclnn*
  call launch Node@launch*
  call copy aclrtMemcpy*
  call fill aclrtMemset*
  call sync aclrtSynchronize*
  call allocate aclrtMalloc*
  call release aclrtFree*

producer spyre
  device spyre PrivateUse1
  device_call spyre aiu*
  category spyre_runtime runtime
  category aiu_runtime runtime
  category aiu_kernel kernel
  category aiu_memcpy memcpy
  call launch aiuLaunch*
  call launch aiupti*Launch*
  call copy aiupti*Memcpy*
  call sync aiu*Synchronize*

producer privateuse1
  device privateuseone PrivateUse1
  category privateuse1_runtime runtime
  category privateuse1_driver runtime
  device_when privateuse1_driver device
  device_when privateuse1_driver nc_id
  call launch nrta_execute_schedule*
  call launch nrt_execute*
  call launch *LaunchKernel*
  call graph_launch *GraphLaunch*
  call copy *emcpy*
  call copy nrt_tensor_read*
  call copy nrt_tensor_write*
  call fill *emset*
  call sync nrt_synchronize*
  call sync *ynchronize*
  call wait neuron_queue_full*
  call wait *StreamWaitEvent*
  call record *EventRecord*
  call allocate *Malloc*
  call allocate nrt_tensor_allocate*
  call release nrt_tensor_free*

producer lanewise
  device neuron PrivateUse1
  device_call neuron nrt_*
  device_call neuron nrta_*
  device_call neuron neuron_*
  category neuron_rt runtime
  category neuron_hw kernel
  category neuron_hw_part device_annotation
  category neuron_capture other
  named neuron_hw dma_* memcpy
  named neuron_hw dma_fill memset
  named neuron_hw sim_lag wait
  named neuron_hw_part overhead_* overhead
)table";
}

}  // namespace lanewise::trace::schema
